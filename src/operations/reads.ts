import type { PinnedSnapshot, StoreReader } from '../storage/store-reader.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { answerConsoleRead, checkConsoleHead } from './answer-console-read.ts';
import { answerManagementRead, checkManagementHead } from './answer-management.ts';
import type { ApiAnswer, ApiCall, ApiCallHead, ApiReads, HeadCheck, Read } from './call.ts';
import { createConsoleContext } from './console-context.ts';
import type { ConsoleSettings } from './console-settings.ts';

export interface ReadsOptions {
  readonly docsUrl: string;
  readonly console: ConsoleSettings;
  readonly tokenPrefixesAccepted: readonly string[];
  /** Receives how long each read took until its first piece, in milliseconds. */
  onStep(ms: number): void;
}

/** Answers the reads of both APIs, each from one snapshot of the store: the newest acknowledged state. */
export class Reads implements ApiReads {
  readonly #reader: StoreReader;
  readonly #options: ReadsOptions;
  /** Moves the reader to the newest acknowledged change. */
  readonly #refresh: () => void;

  constructor(reader: StoreReader, refresh: () => void, options: ReadsOptions) {
    this.#reader = reader;
    this.#refresh = refresh;
    this.#options = options;
  }

  read(call: ApiCall): Read {
    if (call.api === 'management') {
      const context = this.#managementContext();
      return this.#read(({ queries }) => answerManagementRead(queries, call, context));
    }
    const context = createConsoleContext(this.#options.console);
    return this.#read(({ queries }) => answerConsoleRead(queries, call, context));
  }

  checkHead(call: ApiCallHead): HeadCheck {
    this.#refresh();
    const { queries, release } = this.#reader.pin();
    try {
      if (call.api === 'management') return checkManagementHead(queries, call, this.#managementContext());
      return checkConsoleHead(queries, call, createConsoleContext(this.#options.console));
    } finally {
      release();
    }
  }

  #managementContext() {
    const { docsUrl, tokenPrefixesAccepted } = this.#options;
    return { now: Date.now(), docsUrl, acceptedPrefixes: tokenPrefixesAccepted, hashSecret };
  }

  #read(read: (snapshot: PinnedSnapshot) => ApiAnswer): Read {
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
