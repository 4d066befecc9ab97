import { eventLoopDelay } from '../observability/event-loop.ts';
import { counter, gauge, layOut } from '../observability/metric.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { OutboxCommand, OutboxPage } from '../writer/client/outbox-protocol.ts';

/** What the notifier's thread needs to start. */
export interface NotifierSetup {
  /** `smtp:` or `smtps:`, with the credentials. Never logged. */
  readonly smtpUrl: string;
  readonly mailFrom: string;
  /** The base of links. */
  readonly baseUrl: string;
  readonly logLevel: string;
  readonly logMemory: SharedArrayBuffer;
  /** The thread's cells of `notifierMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Whether letters that were given up are tried once more: true for the first thread of a process. */
  readonly retriesFailed: boolean;
  /** Memories of two `LeaseCell`s: of the node, and of its duty to send mails. Null: the service is alone. */
  readonly cluster: {
    readonly leaseMemory: SharedArrayBuffer;
    readonly mailMemory: SharedArrayBuffer;
  } | null;
}

/** Messages to the notifier. */
export type NotifierRequest =
  /** There may be a new letter in the outbox. */
  | { readonly kind: 'look' }
  | { readonly kind: 'answer'; readonly ticket: number; readonly answer: OutboxAnswer }
  /** Finish the letter that is being sent, and end. */
  | { readonly kind: 'stop' };

/** The writer's answer to a command. `unavailable`: its outcome is unknown, and it may be repeated. */
export type OutboxAnswer =
  | { readonly kind: 'letters'; readonly page: OutboxPage }
  | { readonly kind: 'recorded' }
  /** Another node of the cluster has begun to send the letter, or has sent it. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'unavailable' };

/** Messages from the notifier. */
export type NotifierMessage =
  | { readonly kind: 'ask'; readonly ticket: number; readonly command: OutboxCommand }
  | { readonly kind: 'log'; readonly lines: LogLines };

/** Written by the notifier's thread only. */
export const notifierMetrics = layOut({
  mails: counter('burgee_mails_total', 'Attempts to send a mail, by the outcome at the mail server.', [
    { outcome: 'accepted' },
    { outcome: 'postponed' },
    { outcome: 'failed' },
  ]),
  failed: gauge(
    'burgee_outbox_failed',
    'Mails in the outbox that were given up. The next start of the service tries them once more.',
  ),
  loopDelay: eventLoopDelay('notifier'),
});
