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
    return id === undefined ? 0 : (this.#reader.evaluation.flag(id)?.bytes ?? 0);
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
