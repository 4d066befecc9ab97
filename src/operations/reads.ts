import type { PinnedSnapshot, StoreReader } from '../storage/store-reader.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { answerConsoleRead, checkConsoleHead } from './answer-console-read.ts';
import { answerManagementRead, checkManagementHead } from './answer-management.ts';
import type { ApiAnswer, ApiCall, ApiCallHead, ApiReads, HeadCheck, Read } from './call.ts';
import { createConsoleContext } from './console-context.ts';
import type { ConsoleOperationId } from './console-routes.ts';
import type { ConsoleSettings } from './console-settings.ts';

export interface ReadsOptions {
  readonly docsUrl: string;
  readonly console: ConsoleSettings;
  readonly tokenPrefixesAccepted: readonly string[];
  /** Receives how long each read took until its first piece, in milliseconds. */
  onStep(ms: number): void;
}

/** Reading a longer body takes the writer tens of milliseconds, an ordinary one far less than one. */
const longBodyBytes = 32 * 1024;
/** A longer flag takes the writer more than five milliseconds, whatever is changed of it. */
const longFlagBytes = 256 * 1024;

/** Changes that search the flags or the tokens of a project, the links of an organisation, or all members or projects. */
const searching: ReadonlySet<string> = new Set<ConsoleOperationId>([
  'create-audience',
  'edit-audience',
  'delete-audience',
  'create-project',
  'edit-project',
  'create-environment',
  'edit-environment',
  'delete-environment',
  'create-token',
  'rotate-token',
  'invite-member',
  'withdraw-invitation',
  'edit-member',
  'remove-member',
  'make-sign-in-link',
]);

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

  turnOf(call: ApiCall): string | undefined {
    const bodyBytes = call.body?.length ?? 0;
    const isSearch = call.api === 'console' && searching.has(call.operation ?? '');
    if (!isSearch && bodyBytes <= longBodyBytes && this.#flagBytes(call) <= longFlagBytes) return undefined;
    const check = this.checkHead(call);
    const asker = 'asker' in check ? check.asker : null;
    return asker === null ? '' : (asker.organisation ?? asker.project ?? asker.asker);
  }

  /** @returns bytes of the record of the flag that a change is about; 0 when there is none */
  #flagBytes({ params }: ApiCall): number {
    const id = params['flagId'] ?? params['id'];
    return id === undefined ? 0 : this.#reader.flagBytes(id);
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
      isKept = typeof answer.body !== 'string' || answer.later !== undefined;
      return { answer, release: isKept ? snapshot.release : () => undefined };
    } finally {
      if (!isKept) snapshot.release();
      this.#options.onStep(performance.now() - startedAt);
    }
  }
}
