import type { ConsoleAnswer, ConsoleCall } from '../../contracts/console/console-call.ts';
import { createConsoleContext } from '../../contracts/console/console-context.ts';
import type { ConsoleSettings } from '../../contracts/console/public-handler.ts';
import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { PinnedSnapshot, StoreReader } from '../../storage/store-reader.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import { answerManagementRead } from './answer-read.ts';
import { answerConsoleRead } from './console/answer-console-read.ts';

export interface ReadsOptions {
  readonly docsUrl: string;
  readonly console: ConsoleSettings;
  readonly tokenPrefixesAccepted: readonly string[];
  /** Told how long each read took until its first piece, in milliseconds. */
  onStep(ms: number): void;
}

/** An answer whose body may come in pieces: those are read from a snapshot, until `release`. */
export interface Read<Answer> {
  readonly answer: Answer;
  /** Called once, when the body is whole or not wanted any more. */
  release(): void;
}

/** Answers the reads of both APIs, each from one snapshot of the store: the newest that was acknowledged. */
export class Reads {
  readonly #reader: StoreReader;
  readonly #options: ReadsOptions;
  /** Moves the reader to the newest acknowledged change. */
  readonly #refresh: () => void;

  constructor(reader: StoreReader, refresh: () => void, options: ReadsOptions) {
    this.#reader = reader;
    this.#refresh = refresh;
    this.#options = options;
  }

  /** @throws what the read throws; then nothing is to be released */
  management(call: ManagementCall): Read<ManagementAnswer> {
    const { docsUrl, tokenPrefixesAccepted } = this.#options;
    const context = { now: Date.now(), docsUrl, acceptedPrefixes: tokenPrefixesAccepted, hashSecret };
    return this.#read(({ queries }) => answerManagementRead(queries, call, context));
  }

  /** @throws what the read throws; then nothing is to be released */
  console(call: ConsoleCall): Read<ConsoleAnswer> {
    const context = createConsoleContext(this.#options.console);
    return this.#read(({ queries }) => answerConsoleRead(queries, call, context));
  }

  #read<Answer extends { readonly body: string | Iterable<string> }>(
    read: (snapshot: PinnedSnapshot) => Answer,
  ): Read<Answer> {
    const startedAt = performance.now();
    this.#refresh();
    const snapshot = this.#reader.pin();
    let isKept = false;
    try {
      const answer = read(snapshot);
      isKept = typeof answer.body !== 'string';
      return { answer, release: isKept ? snapshot.release : () => undefined };
    } finally {
      if (!isKept) snapshot.release();
      this.#options.onStep(performance.now() - startedAt);
    }
  }
}
