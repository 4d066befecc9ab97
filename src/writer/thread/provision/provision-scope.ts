import type { AuditEntry } from '../../../domain/audit/audit-entry.ts';
import { ProblemList, shown } from '../../../domain/problem-list.ts';
import { withoutOrganisation } from '../../../domain/project/project.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { ProvisionCounts, ProvisionRequest } from '../../client/provision-protocol.ts';
import type { CommandContext } from '../commands/command.ts';

const operator = { kind: 'operator', id: '', name: 'operator' } as const;

/** The fields that an audit entry of the operator still needs. */
export type OperatorEntry = Pick<
  AuditEntry,
  'ledgerId' | 'projectId' | 'action' | 'targetId' | 'targetName' | 'changes'
> & { readonly environment?: string };

/** @returns an audit entry with the operator as its actor. */
export function operatorEntry(entry: OperatorEntry, context: CommandContext): AuditEntry {
  const { environment = null, ...rest } = entry;
  const stamp = { id: context.newId(), at: context.now, requestId: null, address: null };
  return { ...rest, environment, ...stamp, actor: operator };
}

/** Shared by the declarations of one document: what they read, what they apply, and the problems so far. */
export class ProvisionScope {
  readonly queries: RecordQueries;
  readonly request: ProvisionRequest;
  readonly context: CommandContext;
  readonly problems = new ProblemList();
  readonly warnings = new ProblemList();
  readonly #apply: (changes: readonly RecordChange[]) => void;
  #counts: ProvisionCounts = { created: 0, changed: 0, unchanged: 0 };

  constructor(
    queries: RecordQueries,
    apply: (changes: readonly RecordChange[]) => void,
    request: ProvisionRequest,
    context: CommandContext,
  ) {
    this.queries = queries;
    this.#apply = apply;
    this.request = request;
    this.context = context;
  }

  get now(): number {
    return this.context.now;
  }

  get counts(): ProvisionCounts {
    return this.#counts;
  }

  newId(): string {
    return this.context.newId();
  }

  /** @returns the id for a new record: a given one must be unused */
  idOf(given: string | undefined, path: string): string {
    if (given === undefined) return this.newId();
    const owner = ownerOfId(this.queries, given);
    if (owner !== null) this.problems.add(() => `${path}.id: ${given} is the id of ${owner} already`);
    return given;
  }

  /** A record keeps its id: clients and percentages depend on it. */
  compareId({ id, name }: { readonly id: string; readonly name: string }, given = id, path: string): void {
    if (given === id) return;
    this.problems.add(
      () =>
        `${path}.id differs from that of the existing "${shown(name)}", which is ${id} and cannot change; leave the id out of the file`,
    );
  }

  /** Counts one declared thing under its outcome. */
  count(outcome: keyof ProvisionCounts): void {
    this.#counts = { ...this.#counts, [outcome]: this.#counts[outcome] + 1 };
  }

  /**
   * Applies a change and its audit entry, unless there is a problem already.
   *
   * @param along changes that follow from it and need no entry.
   */
  change(change: RecordChange, entry: OperatorEntry, along: Iterable<RecordChange> = []): void {
    if (!this.problems.isEmpty) return;
    this.#apply([...along, change, { kind: 'audit', entry: operatorEntry(entry, this.context) }]);
  }

  audit(entry: OperatorEntry): void {
    if (!this.problems.isEmpty) return;
    this.#apply([{ kind: 'audit', entry: operatorEntry(entry, this.context) }]);
  }

  /** @returns the record with a name, or undefined if there is none; more than one is a problem. */
  single<Found>(found: readonly Found[], path: string, name: string): Found | undefined {
    if (found.length > 1) {
      this.problems.add(
        () =>
          `${path} is ambiguous: ${found.length} of them have the name "${name}"; rename all but one first`,
      );
    }
    return found[0];
  }
}

/** @returns what has the id, for a message; null: it is unused. Ids of every kind share the keys of the audit log. */
function ownerOfId(queries: RecordQueries, id: string): string | null {
  const flag = queries.flag(id);
  const project = queries.project(flag?.projectId ?? id);
  const inProject = `project "${shown(project?.name ?? '')}"`;
  if (flag !== undefined) return `flag "${shown(flag.name)}" of ${inProject}`;
  if (project !== undefined) return inProject;
  const others = [queries.organisation(id), queries.member(id), queries.audience(id), queries.token(id)];
  return id === withoutOrganisation || others.some((other) => other !== undefined) ? 'something else' : null;
}
