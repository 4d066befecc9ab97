import type { MessagePort } from 'node:worker_threads';
import type { Confirmation } from '../../cluster/client/replica-protocol.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { newSecret } from '../../operations/operation-context.ts';
import type { WriteTransaction } from '../../storage/write-transaction.ts';
import { hashSecret } from '../../support/hash-secret.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { type CallHandlers, PortCalls } from '../../support/port-calls.ts';
import { newId } from '../../support/random-id.ts';
import type { CallWriter, MemberName, VerbCall, WriterCalls } from '../client/operator-port-client.ts';
import type { ProvisionOutcome, ProvisionRequest } from '../client/provision-protocol.ts';
import { applyProvision } from './commands/apply-provision.ts';
import { type Commits, NotCommittedError } from './commits.ts';
import type { FreeSpace } from './free-space.ts';
import { writerVerbs } from './operator-verbs.ts';

/** Aborts a transaction: nothing of it is stored. */
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
  /** The start of the URLs in links. */
  readonly baseUrl: string;
  /** Called repeatedly during a long transaction. */
  readonly onProgress?: () => void;
}

/**
 * The operator's commands on the store. They run in the writer's thread, or in a command that holds the data directory
 * itself. When a call resolves, its change is on disk, and on every node of a cluster. A change for which the disk
 * may lack space is refused with a `NoRoomError` before it is written.
 */
export class OperatorCommands {
  readonly #options: OperatorCommandsOptions;
  readonly handlers: CallHandlers<WriterCalls> = {
    passwordHashes: (members) => this.#passwordHashes(members),
    provision: (request) => this.#onNewest(() => this.#provision(request)),
    runVerb: (call) => this.#runVerb(call),
  };

  constructor(options: OperatorCommandsOptions) {
    this.#options = options;
  }

  /** @param isRefusal whether a result that changed nothing is a refusal. A refusal need not be confirmed by other nodes. */
  async #committed<T>(
    run: (transaction: WriteTransaction) => T,
    isRefusal: (result: T) => boolean = () => false,
  ): Promise<T> {
    const { commits, freeSpace } = this.#options;
    try {
      const { result, isStored, confirmed } = await commits.commit(run, {
        requireRoom: (growthMax) => freeSpace.requireRoom(growthMax),
      });
      if (confirmed === null || (!isStored && isRefusal(result))) return result;
      const confirmation = await confirmed;
      if (confirmation === 'everywhere') return result;
      throw isStored ? notConfirmed(confirmation) : new Error(unchangedNotConfirmed);
    } catch (fault) {
      throw fault instanceof NotCommittedError ? withAdvice(fault) : fault;
    }
  }

  /** A node of a cluster may refuse a document because the node is behind. So it tries again when it has caught up. */
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

  async #provision(request: ProvisionRequest): Promise<ProvisionOutcome> {
    const { onProgress = () => undefined } = this.#options;
    const context = { now: Date.now(), newId };
    try {
      return await this.#committed((transaction) => {
        const outcome = applyProvision(transaction, request, context, onProgress);
        if (!outcome.ok) throw new Rollback(outcome);
        return outcome;
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

/** In a cluster: adds to an error whether the change was applied, and what to do. */
function withAdvice({ kind, message, cause, isLasting }: NotCommittedError): NotCommittedError {
  const options = { cause, isLasting };
  if (kind === 'unknown') {
    const words = `It may or may not have been applied: ${message}. Check the present state before you try again.`;
    return new NotCommittedError(kind, words, options);
  }
  const again =
    kind === 'refused'
      ? ' Try again in a moment.'
      : ' Try again, or use another node; `burgee cluster status` lists them.';
  return new NotCommittedError(kind, `Nothing was applied: ${message}.${isLasting ? '' : again}`, options);
}

/** The change was stored. */
function notConfirmed(confirmation: Exclude<Confirmation, 'everywhere'>): Error {
  if (confirmation === 'unknown')
    return new NotCommittedError('unknown', 'PostgreSQL has lost a part of its history');
  return new Error(
    'The change is stored, but not all nodes of the cluster have confirmed it in time: some may still answer from an older state. `burgee cluster status` lists the nodes.',
  );
}

const unchangedNotConfirmed =
  'There was nothing to change, but not all nodes of the cluster have confirmed the newest state in time: some may still answer from an older one. Try again; `burgee cluster status` lists the nodes.';

function memberKey(organisation: string, email: string): string {
  return JSON.stringify([organisation, email.toLowerCase()]);
}

/** The writer in this thread, for a command that holds the data directory itself. */
export function localWriter({ handlers }: OperatorCommands): CallWriter {
  return async (name, args) => handlers[name](args);
}

export interface OperatorPortOptions {
  /**
   * Called when a change is durable, before it is answered.
   * @param begunAt on the monotonic clock
   */
  onCommit(begunAt: number): void;
  /** A call threw; nothing of it was applied. The caller gets the message. */
  onFault(fault: unknown): void;
}

/** Serves the operator's calls on the thread that owns the store. */
export function serveOperatorPort(
  port: MessagePort,
  { handlers }: OperatorCommands,
  { onCommit, onFault }: OperatorPortOptions,
): void {
  const watched = async <T>(run: () => T | Promise<T>, mayChange: boolean): Promise<T> => {
    const begunAt = monotonicMs();
    try {
      const result = await run();
      if (mayChange) onCommit(begunAt);
      return result;
    } catch (fault) {
      onFault(fault);
      throw fault;
    }
  };
  new PortCalls<Record<never, never>, WriterCalls>(port, {
    passwordHashes: (members) => watched(() => handlers.passwordHashes(members), false),
    provision: (request) => watched(() => handlers.provision(request), true),
    runVerb: (call) => watched(() => handlers.runVerb(call), true),
  });
}
