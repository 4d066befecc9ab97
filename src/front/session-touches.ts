import type { WriterClient } from '../writer/client/writer-client.ts';

/** Touches on their way to the writer. Beyond this bound a touch is dropped: a later request touches the session. */
const touchesMax = 256;

/** Marks sessions as seen: each one once while its mark is on its way. No answer waits for a mark. */
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
