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

/** What moves the reader to the newest state. */
interface NewestState {
  /** To what anybody may have seen. @returns whether it has moved */
  refresh(): boolean;
  /** The same, but not while a commit is on its way: then the state stays as old as it is, a quarter of a second at most. */
  refreshSettled(): void;
}

/** Answers the reads of both APIs, each from one snapshot of the store: the newest acknowledged state. */
export class Reads implements ApiReads {
  readonly #reader: StoreReader;
  readonly #options: ReadsOptions;
  readonly #newest: NewestState;

  constructor(reader: StoreReader, newest: NewestState, options: ReadsOptions) {
    this.#reader = reader;
    this.#newest = newest;
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
    // Who passes is checked again with the answer, so an older state does for that. Nobody is refused by one.
    this.#newest.refreshSettled();
    const check = this.#checkHead(call);
    return 'asker' in check || !this.#newest.refresh() ? check : this.#checkHead(call);
  }

  /** Nothing takes another snapshot meanwhile, so none has to be pinned. */
  #checkHead(call: ApiCallHead): HeadCheck {
    const { askers } = this.#reader;
    if (call.api === 'management') return checkManagementHead(askers, call, this.#managementContext());
    return checkConsoleHead(askers, call, createConsoleContext(this.#options.console));
  }

  #managementContext() {
    const { docsUrl, tokenPrefixesAccepted } = this.#options;
    return { now: Date.now(), docsUrl, acceptedPrefixes: tokenPrefixesAccepted, hashSecret };
  }

  #read(read: (snapshot: PinnedSnapshot) => ApiAnswer): Read {
    const startedAt = performance.now();
    this.#newest.refresh();
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
