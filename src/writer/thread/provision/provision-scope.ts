import { stepInto } from '../../../contracts/compiled-schema.ts';
import type { AuditEntry } from '../../../domain/audit/audit-entry.ts';
import { isName, layoutProblem } from '../../../domain/name-rules.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { ProvisionCounts, ProvisionRequest } from '../../client/provision-protocol.ts';
import type { CommandContext } from '../commands/command.ts';

const operator = { kind: 'operator', id: '', name: 'operator' } as const;

/** What to do about an export of a store where something bears a name from before that rule. */
const renaming =
  'and nothing here is called so yet: rename it in the file, or bring the whole store with `burgee restore`, which keeps names';

/** What an audit entry of the operator still has to say. */
export type OperatorEntry = Pick<
  AuditEntry,
  'ledgerId' | 'projectId' | 'action' | 'targetId' | 'targetName' | 'changes'
> & { readonly environment?: string };

/** @returns an audit entry with the operator as its actor. */
export function operatorEntry(entry: OperatorEntry, context: CommandContext): AuditEntry {
  const { environment = null, ...rest } = entry;
  return { ...rest, environment, id: context.newId(), at: context.now, actor: operator, requestId: null };
}

/** What the declarations of one provisioning share: what they read, and what they have decided so far. */
export class ProvisionScope {
  readonly queries: RecordQueries;
  readonly request: ProvisionRequest;
  readonly context: CommandContext;
  readonly problems = new ProblemList();
  readonly warnings = new ProblemList();
  #pending: RecordChange[] = [];
  #counts: ProvisionCounts = { created: 0, changed: 0, unchanged: 0 };

  constructor(queries: RecordQueries, request: ProvisionRequest, context: CommandContext) {
    this.queries = queries;
    this.request = request;
    this.context = context;
  }

  get now(): number {
    return this.context.now;
  }

  get counts(): ProvisionCounts {
    return this.#counts;
  }

  get pendingCount(): number {
    return this.#pending.length;
  }

  newId(): string {
    return this.context.newId();
  }

  /**
   * Holds what is made to the rule of new names; a document's shape lets pass what may be stored under an older one.
   * @returns the name, trimmed
   */
  newName(declared: { readonly name: string }, path: string): string {
    const name = declared.name.trim();
    if (!isName(name)) this.problems.add(() => `${stepInto(path, 'name')} ${layoutProblem}, ${renaming}`);
    return name;
  }

  /** Counts one declared thing, with what becomes of its record. */
  count(outcome: keyof ProvisionCounts): void {
    this.#counts = { ...this.#counts, [outcome]: this.#counts[outcome] + 1 };
  }

  /**
   * Decides a change and the audit entry that goes with it. After the first problem nothing is written any more.
   *
   * @param along what else ends or changes by it, and needs no entry of its own.
   */
  change(change: RecordChange, entry: OperatorEntry, along: Iterable<RecordChange> = []): void {
    if (!this.problems.isEmpty) return;
    this.#pending.push(...along, change, { kind: 'audit', entry: operatorEntry(entry, this.context) });
  }

  audit(entry: OperatorEntry): void {
    if (!this.problems.isEmpty) return;
    this.#pending.push({ kind: 'audit', entry: operatorEntry(entry, this.context) });
  }

  /** @returns what was decided since the last call. */
  takePending(): readonly RecordChange[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }

  /** @returns the one record that a name means, or undefined when there is none; more than one is a problem. */
  single<Found>(found: readonly Found[], path: string, name: string): Found | undefined {
    if (found.length > 1) {
      this.problems.add(
        () =>
          `${path} is ambiguous: ${found.length} of them are called "${name}" here; rename all but one first`,
      );
    }
    return found[0];
  }
}
