import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime } from '../../support/lifetime.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';
import type { Random } from '../../support/random.ts';
import type { ClusterStage, NodePlace } from './cluster-stage.ts';

const denyEveryMs = 200;
const answerMsMax = 10_000;
/** The mail server takes its time, so that a sender may die meanwhile. */
const mailMsMax = 1500;

/** Takes the mails of denials: a token's owner gets one a day for it, whichever nodes have refused it. */
export async function startDenialMails(t: Lifetime, random: Random): Promise<MailServer> {
  const mail = await startMailServer(t);
  mail.judgeMessage = () => pause(random.integer(0, mailMsMax), null);
  return mail;
}

/** Writes with a token that may only read, through all nodes at once, again and again. */
export class Denials {
  readonly faults: string[] = [];
  denied = 0;
  readonly #stage: ClusterStage;
  readonly #running: Promise<void>;
  /** Each node is asked one thing at a time: one that does not answer keeps no other from being asked. */
  readonly #asked = new Map<NodePlace, Promise<void>>();
  #isOver = false;

  constructor(stage: ClusterStage) {
    this.#stage = stage;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#asked.values());
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      for (const place of this.#stage.places) {
        if (this.#asked.has(place)) continue;
        const asked = this.#deny(place).finally(() => this.#asked.delete(place));
        this.#asked.set(place, asked);
      }
      await pause(denyEveryMs);
    }
  }

  async #deny({ name, server, isSilent }: NodePlace): Promise<void> {
    if (server === null || isSilent) return;
    const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1/flags`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#stage.reader}` },
      body: JSON.stringify({ name: 'denied' }),
      signal: AbortSignal.timeout(answerMsMax),
    }).catch(() => null);
    // A node that is killed says nothing, and one that is cut off says so.
    const text = await answer?.text().catch(() => '');
    if (answer === null || answer.status === 503) return;
    if (answer.status === 403) this.denied += 1;
    else this.faults.push(`${name} answers a write with a read token ${answer.status} ${text}`);
  }
}

/**
 * Revoked tokens that are tried are denied, too.
 * @param max of one token
 * @returns what is wrong with the mails that were accepted
 */
export function judgeMails({ mails }: MailServer, max: number): string[] {
  const counts = new Map<string, number>();
  for (const { headers } of mails) {
    const subject = headers.find(([name]) => name === 'subject')?.[1] ?? '';
    counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > max)
    .map(([subject, count]) => `«${subject}» was sent ${count} times, and not ${max}`);
}
