import type { Steps } from '../../support/steps.ts';
import { pausing, type TextPieces } from '../../support/text-pieces.ts';

interface ReadAnswer<Answer> {
  readonly body: string | TextPieces;
  readonly later?: Steps<Answer> | undefined;
}

/** An answer that is known only when its pieces are asked for, because a long record has to be read for it first. */
export class LateAnswer<Answer extends ReadAnswer<Answer>> {
  /** Until a piece is not empty, or there are no more, this is `first`, of which only the asker is used. */
  known: Answer;

  constructor(first: Answer) {
    this.known = first;
  }

  *pieces(): Generator<string | Uint8Array> {
    const { later } = this.known;
    if (later !== undefined) this.known = yield* pausing(later);
    const { body } = this.known;
    if (typeof body === 'string') yield body;
    else yield* body;
  }
}
