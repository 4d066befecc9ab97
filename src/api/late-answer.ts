import type { Steps } from '../support/steps.ts';
import { pausing, type TextPieces } from '../support/text-pieces.ts';

interface ReadAnswer<Answer> {
  readonly body: string | TextPieces;
  readonly later?: Steps<Answer>;
}

/** An answer that is known only once its pieces are asked for, where a long record is read for it first. */
export class LateAnswer<Answer extends ReadAnswer<Answer>> {
  /** Of `first` only who asked counts until there is a piece that is not empty, or no more. */
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
