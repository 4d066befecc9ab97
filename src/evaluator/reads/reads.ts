import type { ConsoleAnswer, ConsoleCall, ConsoleCallHead } from '../../contracts/console/console-call.ts';
import { createConsoleContext } from '../../contracts/console/console-context.ts';
import type { ConsoleSettings } from '../../contracts/console/public-handler.ts';
import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { PinnedSnapshot, StoreReader } from '../../storage/store-reader.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import type { TextPieces } from '../../support/text-pieces.ts';
import { answerManagementRead, refuseManagementWrite } from './answer-read.ts';
import { answerConsoleRead, refuseConsoleCall } from './console/answer-console-read.ts';

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
  /** What is kept in memory of records for the pieces that are still to come. */
  readonly held: { readonly bytes: number };
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
    const context = this.#managementContext();
    return this.#read(({ queries }) => answerManagementRead(queries, call, context));
  }

  /** @returns the refusal of a change whose body has not come yet; null: let it come */
  refuseManagement(call: ManagementCall): ManagementAnswer | null {
    const context = this.#managementContext();
    return this.#look(({ queries }) => refuseManagementWrite(queries, call, context));
  }

  #managementContext() {
    const { docsUrl, tokenPrefixesAccepted } = this.#options;
    return { now: Date.now(), docsUrl, acceptedPrefixes: tokenPrefixesAccepted, hashSecret };
  }

  /** @throws what the read throws; then nothing is to be released */
  console(call: ConsoleCall): Read<ConsoleAnswer> {
    const context = createConsoleContext(this.#options.console);
    return this.#read(({ queries }) => answerConsoleRead(queries, call, context));
  }

  /** @returns the refusal of a request whose body has not come yet; null: let it come */
  refuseConsole(call: ConsoleCallHead): ConsoleAnswer | null {
    const context = createConsoleContext(this.#options.console);
    return this.#look(({ queries }) => refuseConsoleCall(queries, call, context));
  }

  #look<Answer>(look: (snapshot: PinnedSnapshot) => Answer): Answer {
    this.#refresh();
    const snapshot = this.#reader.pin();
    try {
      return look(snapshot);
    } finally {
      snapshot.release();
    }
  }

  #read<Answer extends { readonly body: string | TextPieces; readonly later?: unknown }>(
    read: (snapshot: PinnedSnapshot) => Answer,
  ): Read<Answer> {
    const startedAt = performance.now();
    this.#refresh();
    const snapshot = this.#reader.pin();
    let isKept = false;
    try {
      const answer = read(snapshot);
      isKept = typeof answer.body !== 'string' || answer.later !== undefined;
      return { answer, held: snapshot.held, release: isKept ? snapshot.release : () => undefined };
    } finally {
      if (!isKept) snapshot.release();
      this.#options.onStep(performance.now() - startedAt);
    }
  }
}
