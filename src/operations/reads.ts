import { type Outcome, succeed } from '../domain/outcome.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import { assert } from '../support/assert.ts';
import type { ApiAnswer, ApiCall, ApiReads, Caller, Read } from './call.ts';
import { consoleOperations, consoleSteps } from './console-operations.ts';
import { answerRead, authorize, type Operation } from './dispatch.ts';
import type { ManagementRead } from './management-operation.ts';
import type { ConsoleRead } from './operation.ts';
import { createOperationContext, type OperationSettings } from './operation-context.ts';

/** The reads of the console and its conversations, by id. */
const consoleReads = new Map<string, ConsoleRead>(
  [...Object.values(consoleOperations), ...Object.values(consoleSteps)].flatMap((operation) =>
    operation.actor === 'read' ? [[operation.id, operation] as const] : [],
  ),
);

function consoleReadOf({ operation: id }: ApiCall): ConsoleRead {
  const operation = consoleReads.get(id ?? '');
  if (operation === undefined) throw new Error(`${id} is not a read of the console`);
  return operation;
}

/** Moves the reader to the newest state. */
interface NewestState {
  /** To the newest state that any client may have seen. @returns whether it has moved */
  refresh(): boolean;
  /** The same, but while a commit is in progress the state stays as it is: at most a quarter of a second old. */
  refreshSettled(): void;
}

/** Answers the reads of a worker. */
export class Reads implements ApiReads {
  readonly #reader: StoreReader;
  readonly #newest: NewestState;
  readonly #settings: OperationSettings;
  readonly #onStep: (ms: number) => void;

  /** @param onStep receives how long each read took until its first piece, in milliseconds */
  constructor(
    reader: StoreReader,
    newest: NewestState,
    settings: OperationSettings,
    onStep: (ms: number) => void,
  ) {
    this.#reader = reader;
    this.#newest = newest;
    this.#settings = settings;
    this.#onStep = onStep;
  }

  /**
   * Steps 4 to 7 of the order of checks, for the operations of any actor. The writer, and a read that is made later,
   * must authorize the caller again.
   */
  authorize(operation: Operation | null, call: ApiCall): Outcome<Caller, ApiAnswer> {
    const isRead = operation?.actor === 'read' || operation?.actor === 'sync';
    if (isRead) this.#newest.refresh();
    // The writer authorizes again, so an older state is enough to let a change pass, but never to refuse it.
    else this.#newest.refreshSettled();
    const authorized = this.#authorize(operation, call);
    if (authorized.ok || isRead || !this.#newest.refresh()) return authorized;
    return this.#authorize(operation, call);
  }

  /** No other snapshot is taken meanwhile, so this one need not be pinned. */
  #authorize(operation: Operation | null, call: ApiCall): Outcome<Caller, ApiAnswer> {
    return authorize(this.#reader.askers, operation, call, createOperationContext(this.#settings));
  }

  /** Answers a read of the console, or a step of a conversation. */
  read(call: ApiCall): Read {
    return this.answer(consoleReadOf(call), call, null);
  }

  /**
   * @param caller that was authorized in this call stack; null: it is authorized on the snapshot that is read
   * @throws what the read throws; then there is nothing to release
   */
  answer(operation: ManagementRead | ConsoleRead, call: ApiCall, caller: Caller | null): Read {
    const startedAt = performance.now();
    if (caller === null) this.#newest.refresh();
    try {
      if (operation.inPieces) return this.#answerInPieces(operation, call, caller);
      // Nothing takes another snapshot meanwhile, so none has to be pinned.
      const answer = this.#answer(this.#reader.queries, operation, call, caller);
      assert(typeof answer.body === 'string', 'an answer in pieces is read from a pinned snapshot');
      return { answer, release: nothing };
    } finally {
      this.#onStep(performance.now() - startedAt);
    }
  }

  #answerInPieces(operation: ManagementRead | ConsoleRead, call: ApiCall, caller: Caller | null): Read {
    const { queries, release } = this.#reader.pin();
    let isKept = false;
    try {
      const answer = this.#answer(queries, operation, call, caller);
      isKept = typeof answer.body !== 'string';
      return { answer, release: isKept ? release : nothing };
    } finally {
      if (!isKept) release();
    }
  }

  #answer(
    queries: RecordQueries,
    operation: ManagementRead | ConsoleRead,
    call: ApiCall,
    caller: Caller | null,
  ): ApiAnswer {
    const context = createOperationContext(this.#settings);
    const authorized = caller === null ? authorize(queries, operation, call, context) : succeed(caller);
    return authorized.ok
      ? answerRead(queries, operation, call, authorized.value, context)
      : authorized.problem;
  }
}

function nothing(): void {}
