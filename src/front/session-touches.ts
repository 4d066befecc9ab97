import type { WriterClient } from '../writer/client/writer-client.ts';

/** Touches on their way to the writer: beyond it, a later request touches its session. */
const touchesMax = 256;

/** Marks sessions as seen: once each while the mark is on its way, and no answer waits for it. */
export class SessionTouches {
  readonly #writer: WriterClient;
  readonly #onFault: (fault: unknown) => void;
  readonly #underWay = new Set<string>();

  constructor(writer: WriterClient, onFault: (fault: unknown) => void) {
    this.#writer = writer;
    this.#onFault = onFault;
  }

  touch(sessionId: string | null): void {
    if (sessionId === null || this.#underWay.has(sessionId) || this.#underWay.size >= touchesMax) return;
    this.#underWay.add(sessionId);
    this.#writer
      .touchSession(sessionId)
      .catch(this.#onFault)
      .finally(() => this.#underWay.delete(sessionId));
  }
}
