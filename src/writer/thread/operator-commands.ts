import type { MessagePort } from 'node:worker_threads';
import type { Confirmation } from '../../cluster/client/replica-protocol.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { newSecret } from '../../operations/console-context.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import { messageOf } from '../../support/message-of.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { newId } from '../../support/random-id.ts';
import type {
  CallWriter,
  CommitProgress,
  MemberName,
  OperatorReply,
  OperatorRequest,
  VerbCall,
  WriterCallName,
  WriterCalls,
} from '../client/operator-port-client.ts';
import type { FlagSlice, ProvisionOutcome } from '../client/provision-protocol.ts';
import { applyProvision } from './commands/apply-provision.ts';
import { type Commits, NotCommittedError } from './commits.ts';
import type { FreeSpace } from './free-space.ts';
import { writerVerbs } from './operator-verbs.ts';

/** Staged slices together: as large as the largest file (`fileBytesMax` of the operator). */
const stagedBytesMax = 512 * 2 ** 20;
/** Progress is told so often at most, in flags. */
const flagsPerReport = 2000;

/** Ends a transaction whose changes must not stay. */
class Rollback extends Error {
  readonly outcome: ProvisionOutcome;

  constructor(outcome: ProvisionOutcome) {
    super('rolled back');
    this.outcome = outcome;
  }
}

export interface OperatorCommandsOptions {
  readonly commits: Commits;
  readonly freeSpace: FreeSpace;
  /** What the addresses of links begin with. */
  readonly baseUrl: string;
}

type Handlers = {
  readonly [Name in WriterCallName]: (
    args: WriterCalls[Name]['args'],
    onProgress: CommitProgress,
  ) => WriterCalls[Name]['result'] | Promise<WriterCalls[Name]['result']>;
};

/**
 * The operator's commands on the store. It belongs to the owner of the write transactions: the writer's thread, or a
 * command that holds the data directory itself. What a call resolves with is durable, and on every node of a cluster. What
 * the disk may have no room for is refused by a `NoRoomError` before it is written.
 */
export class OperatorCommands {
  readonly #options: OperatorCommandsOptions;
  readonly #requireRoom: (growthMax: number) => void;
  readonly #handlers: Handlers = {
    passwordHashes: (members) => this.#passwordHashes(members),
    stage: (args) => this.#stage(args),
    commit: (args, onProgress) => this.#commit(args, onProgress),
    discard: () => this.#discard(),
    runVerb: (call) => this.#runVerb(call),
  };
  #provisionId = '';
  #slices: FlagSlice[] = [];
  #stagedBytes = 0;

  constructor(options: OperatorCommandsOptions) {
    this.#options = options;
    this.#requireRoom = (growthMax) => options.freeSpace.requireRoom(growthMax);
  }

  /** @param onProgress is called again and again while a commit runs. */
  call<Name extends WriterCallName>(
    name: Name,
    args: WriterCalls[Name]['args'],
    onProgress: CommitProgress,
  ): WriterCalls[Name]['result'] | Promise<WriterCalls[Name]['result']> {
    return this.#handlers[name](args, onProgress);
  }

  /** @param isRefusal what nothing came of, and is true of the newest state: whatever other nodes have of it */
  async #committed<T>(
    run: (transaction: WriteTransaction) => T,
    isRefusal: (result: T) => boolean = () => false,
  ): Promise<T> {
    try {
      const { result, isStored, confirmed } = await this.#options.commits.commit(run, {
        requireRoom: this.#requireRoom,
      });
      if (confirmed === null || (!isStored && isRefusal(result))) return result;
      const confirmation = await confirmed;
      if (confirmation === 'everywhere') return result;
      throw isStored ? notConfirmed(confirmation) : new Error(unchangedNotConfirmed);
    } catch (fault) {
      throw fault instanceof NotCommittedError ? toldToOperator(fault) : fault;
    }
  }

  /** What was refused was refused on the newest state: a node that is behind, or cut off, knows nothing of what others made. */
  async #onNewest(attempt: () => Promise<ProvisionOutcome>): Promise<ProvisionOutcome> {
    const outcome = await attempt();
    if (outcome.ok || this.#options.commits.answerMs === null) return outcome;
    await this.#committed(
      () => null,
      () => true,
    );
    return await attempt();
  }

  #passwordHashes(members: readonly MemberName[]): Promise<readonly (string | null)[]> {
    return this.#committed(({ queries }) => {
      const organisationNames = new Map([...queries.organisations()].map(({ id, name }) => [id, name]));
      const hashes = new Map<string, string | null>();
      for (const { organisationId, email, passwordHash } of queries.members()) {
        hashes.set(memberKey(organisationNames.get(organisationId ?? '') ?? '', email), passwordHash);
      }
      return members.map(({ organisation, email }) => hashes.get(memberKey(organisation, email)) ?? null);
    });
  }

  #stage({ provisionId, slice }: WriterCalls['stage']['args']): null {
    if (provisionId !== this.#provisionId) this.#discard();
    this.#provisionId = provisionId;
    this.#stagedBytes += slice.json.byteLength;
    if (this.#stagedBytes > stagedBytesMax)
      throw new RangeError('more flags are staged than a file can hold');
    this.#slices.push(slice);
    return null;
  }

  #discard(): null {
    this.#provisionId = '';
    this.#slices = [];
    this.#stagedBytes = 0;
    return null;
  }

  async #commit(
    { provisionId, request }: WriterCalls['commit']['args'],
    onProgress: CommitProgress,
  ): Promise<ProvisionOutcome> {
    const slices = provisionId === this.#provisionId ? this.#slices : [];
    this.#discard();
    return await this.#onNewest(() => this.#provision(request, slices, onProgress));
  }

  async #provision(
    request: WriterCalls['commit']['args']['request'],
    slices: readonly FlagSlice[],
    onProgress: CommitProgress,
  ): Promise<ProvisionOutcome> {
    const context = { now: Date.now(), newId };
    try {
      return await this.#committed((transaction) => {
        const decisions = applyProvision(transaction.queries, request, slices, context);
        for (;;) {
          const step = decisions.next();
          if (step.done === true) {
            if (!step.value.ok) throw new Rollback(step.value);
            return step.value;
          }
          transaction.apply(step.value.changes);
          onProgress(step.value.flagsDone);
        }
      });
    } catch (fault) {
      if (fault instanceof Rollback) return fault.outcome;
      throw fault;
    }
  }

  #runVerb({ name, args }: VerbCall): Promise<Outcome<unknown>> {
    const { baseUrl } = this.#options;
    const run = (transaction: WriteTransaction): Outcome<unknown> => {
      const context = { now: Date.now(), newId, newSecret, hashSecret, baseUrl };
      // The arguments are of the verb's own shape: see `VerbCall`.
      const outcome = writerVerbs[name].run(transaction.queries, args as never, context);
      if (!outcome.ok) return outcome;
      if (outcome.value.changes.length > 0) transaction.apply(outcome.value.changes);
      return { ok: true, value: outcome.value.result };
    };
    return this.#committed(run, ({ ok }) => !ok);
  }
}

/** In a cluster: what became of a command, and what to do. */
function toldToOperator({ kind, message, cause, isLasting }: NotCommittedError): NotCommittedError {
  const options = { cause, isLasting };
  if (kind === 'unknown') {
    const words = `It may have been applied, or not: ${message}. Look at what there is before you try again.`;
    return new NotCommittedError(kind, words, options);
  }
  const again =
    kind === 'refused'
      ? ' Try again in a moment.'
      : ' Try again, or on another node; `burgee cluster status` shows them.';
  return new NotCommittedError(kind, `Nothing was applied: ${message}.${isLasting ? '' : again}`, options);
}

/** It was stored. */
function notConfirmed(confirmation: Exclude<Confirmation, 'everywhere'>): Error {
  if (confirmation === 'unknown')
    return new NotCommittedError('unknown', 'PostgreSQL has lost a part of its history');
  return new Error(
    'It is done, and not all nodes of the cluster have confirmed it in time: some may still answer from before it. `burgee cluster status` shows them.',
  );
}

const unchangedNotConfirmed =
  'There was nothing to change, and not all nodes of the cluster have confirmed that in time: some may still answer from before it was so. Try again; `burgee cluster status` shows them.';

function memberKey(organisation: string, email: string): string {
  return JSON.stringify([organisation, email.toLowerCase()]);
}

/** The writer in this very thread: a command that holds the data directory itself. */
export function localWriter(commands: OperatorCommands): CallWriter {
  return async (name, args, onProgress = () => undefined) => commands.call(name, args, onProgress);
}

export interface OperatorPortOptions {
  /**
   * After a call that may have changed something is durable, before it is answered.
   * @param begunAt on the monotonic clock
   */
  onCommit(begunAt: number): void;
  /** Again and again while a long transaction runs. */
  onProgress(): void;
  /** A call threw; nothing of it was applied. The caller is told the message. */
  onFault(fault: unknown): void;
}

/** Serves the calls that arrive at a port, one after another, on the thread that owns the store. */
export function serveOperatorPort(
  port: MessagePort,
  commands: OperatorCommands,
  options: OperatorPortOptions,
): void {
  const post = (reply: OperatorReply): void => port.postMessage(reply);
  port.on('message', ({ ticket, name, args }: OperatorRequest) => {
    let reported = 0;
    const begunAt = monotonicMs();
    const onProgress: CommitProgress = (flagsDone) => {
      options.onProgress();
      if (flagsDone - reported < flagsPerReport) return;
      reported = flagsDone;
      post({ kind: 'progress', ticket, flagsDone });
    };
    const run = async (): Promise<void> => {
      try {
        const result = await commands.call(name, args as WriterCalls[typeof name]['args'], onProgress);
        if (name === 'commit' || name === 'runVerb') options.onCommit(begunAt);
        post({ kind: 'done', ticket, result });
      } catch (fault) {
        options.onFault(fault);
        post({ kind: 'failed', ticket, message: messageOf(fault) });
      }
    };
    void run();
  });
}
