import { eventLoopDelay } from '../observability/event-loop.ts';
import { counter, gauge, layOut } from '../observability/metric.ts';
import type { LogLines } from '../observability/thread-log.ts';
import type { OutboxCommand, OutboxPage } from '../writer/client/outbox-protocol.ts';

/** What the notifier's thread needs to start. */
export interface NotifierSetup {
  /** `smtp:` or `smtps:`, with the credentials: never logged. */
  readonly smtpUrl: string;
  readonly mailFrom: string;
  /** What links are made of. */
  readonly baseUrl: string;
  readonly logLevel: string;
  readonly logMemory: SharedArrayBuffer;
  /** Its cells of `notifierMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Letters that were given up are tried once more: the first thread of a process says so. */
  readonly retriesFailed: boolean;
}

/** To the notifier. */
export type NotifierRequest =
  /** Something new may be in the outbox. */
  | { readonly kind: 'look' }
  | { readonly kind: 'answer'; readonly ticket: number; readonly answer: OutboxAnswer }
  /** Finish the letter that is being sent, and end. */
  | { readonly kind: 'stop' };

/** What became of a command to the writer; `unavailable`: nothing is known of it, and it may be said again. */
export type OutboxAnswer =
  | { readonly kind: 'letters'; readonly page: OutboxPage }
  | { readonly kind: 'recorded' }
  | { readonly kind: 'unavailable' };

/** From the notifier. */
export type NotifierMessage =
  | { readonly kind: 'ask'; readonly ticket: number; readonly command: OutboxCommand }
  | { readonly kind: 'log'; readonly lines: LogLines };

/** Written by the notifier's thread alone. */
export const notifierMetrics = layOut({
  mails: counter('burgee_mails_total', 'Attempts to send a mail, by how the mail server took it.', [
    { outcome: 'accepted' },
    { outcome: 'postponed' },
    { outcome: 'failed' },
  ]),
  failed: gauge(
    'burgee_outbox_failed',
    'Mails in the outbox that were given up. They are tried once more when the service starts.',
  ),
  loopDelay: eventLoopDelay('notifier'),
});
