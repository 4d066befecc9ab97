import type { Outcome } from '../domain/problem.ts';
import { newSecret } from '../operations/console-context.ts';
import type { Store } from '../storage/store.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { newId } from '../support/random-id.ts';
import { applyProvision } from './commands/apply-provision.ts';
import type { Command } from './commands/command.ts';
import { makeOperatorLink, type OperatorLinkArgs, type OperatorLinkResult } from './commands/make-operator-link.ts';
import { type RevokeTokenArgs, type RevokeTokenResult, revokeToken } from './commands/revoke-token.ts';
import { type SetPlanArgs, type SetPlanResult, setPlan } from './commands/set-plan.ts';
import type { FreeSpace } from './free-space.ts';
import type { CommitArgs, CommitProgress, MemberName, StageArgs } from './operator-port-protocol.ts';
import type { FlagSlice, ProvisionOutcome } from './provision/provision-protocol.ts';

/** Staged slices together: as large as the largest file (`fileBytesMax` of the operator). */
const stagedBytesMax = 512 * 2 ** 20;

/** Ends a transaction whose changes must not stay. */
class Rollback extends Error {
  readonly outcome: ProvisionOutcome;

  constructor(outcome: ProvisionOutcome) {
    super('rolled back');
    this.outcome = outcome;
  }
}

/**
 * The operator's commands on the store. It belongs to whoever owns the write transactions: the writer's thread, or a
 * command that holds the data directory itself. Every method is synchronous; what it returns is durable. What the disk
 * may have no room for is refused by a `NoRoomError` before it is written.
 */
export class OperatorCommands {
  readonly #store: Store;
  readonly #requireRoom: (growthMax: number) => void;
  #provisionId = '';
  #slices: FlagSlice[] = [];
  #stagedBytes = 0;

  constructor(store: Store, freeSpace: FreeSpace) {
    this.#store = store;
    this.#requireRoom = (growthMax) => freeSpace.requireRoom(growthMax);
  }

  passwordHashes(members: readonly MemberName[]): readonly (string | null)[] {
    return this.#store.write(({ queries }) => {
      const organisationNames = new Map([...queries.organisations()].map(({ id, name }) => [id, name]));
      const hashes = new Map<string, string | null>();
      for (const { organisationId, email, passwordHash } of queries.members()) {
        hashes.set(memberKey(organisationNames.get(organisationId ?? '') ?? '', email), passwordHash);
      }
      return members.map(({ organisation, email }) => hashes.get(memberKey(organisation, email)) ?? null);
    });
  }

  stage({ provisionId, slice }: StageArgs): null {
    if (provisionId !== this.#provisionId) this.discard();
    this.#provisionId = provisionId;
    this.#stagedBytes += slice.json.byteLength;
    if (this.#stagedBytes > stagedBytesMax)
      throw new RangeError('more flags are staged than a file can hold');
    this.#slices.push(slice);
    return null;
  }

  discard(): null {
    this.#provisionId = '';
    this.#slices = [];
    this.#stagedBytes = 0;
    return null;
  }

  /** @param onProgress is called again and again while the transaction runs. */
  commit({ provisionId, request }: CommitArgs, onProgress: CommitProgress): ProvisionOutcome {
    const slices = provisionId === this.#provisionId ? this.#slices : [];
    this.discard();
    const context = { now: Date.now(), newId };
    try {
      return this.#store.write((transaction) => {
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
      }, this.#requireRoom);
    } catch (fault) {
      if (fault instanceof Rollback) return fault.outcome;
      throw fault;
    }
  }

  setPlan(args: SetPlanArgs): Outcome<SetPlanResult> {
    return this.#run(setPlan, args);
  }

  revokeToken(args: RevokeTokenArgs): Outcome<RevokeTokenResult> {
    return this.#run(revokeToken, args);
  }

  makeSignInLink(args: OperatorLinkArgs): Outcome<OperatorLinkResult> {
    const { baseUrl } = args;
    return this.#run((queries, given: OperatorLinkArgs, context) => {
      return makeOperatorLink(queries, given, { ...context, newSecret, hashSecret, baseUrl });
    }, args);
  }

  #run<Args, Result>(command: Command<Args, Result>, args: Args): Outcome<Result> {
    return this.#store.write((transaction) => {
      const outcome = command(transaction.queries, args, { now: Date.now(), newId });
      if (!outcome.ok) return outcome;
      if (outcome.value.changes.length > 0) transaction.apply(outcome.value.changes);
      return { ok: true, value: outcome.value.result };
    }, this.#requireRoom);
  }
}

function memberKey(organisation: string, email: string): string {
  return JSON.stringify([organisation, email.toLowerCase()]);
}
