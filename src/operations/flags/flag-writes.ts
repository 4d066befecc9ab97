import type { AuditAction, AuditChange, AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { ProjectPrincipal } from '../../domain/console/console-principal.ts';
import { nameChanges } from '../../domain/flag/apply-flag-edit.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import type { AliasLoss } from '../../domain/flag/flag-name.ts';
import type { Principal } from '../../domain/management/guard.ts';
import type { Step } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import { type Origin, projectEntry } from '../audit-entries.ts';
import type { WriteDecision } from '../management-operation.ts';
import type { ConsoleContext } from '../operation.ts';

/** A token's change of a flag. */
interface FlagChange {
  readonly action: Extract<AuditAction, 'flag.create' | 'flag.patch'>;
  readonly before: Flag | null;
  readonly after: Flag;
  /** The environment that was patched; null for a flag as a whole. */
  readonly environment: string | null;
  readonly changes: readonly AuditChange[];
}

interface AuditStamp {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly address: string;
}

/** The flag and its audit entry, which are stored together or not at all. */
export function flagChangeRecords(
  { token, project, organisation }: Principal,
  { action, before, after, environment, changes }: FlagChange,
  stamp: AuditStamp,
): RecordChange[] {
  const entry: AuditEntry = {
    id: stamp.id,
    ledgerId: organisation.id,
    projectId: project.id,
    at: stamp.at,
    requestId: stamp.requestId,
    address: stamp.address,
    actor: { kind: 'token', id: token.id, name: token.name },
    action,
    targetId: after.id,
    targetName: after.name,
    environment,
    changes,
  };
  return [
    { kind: 'flag', before, after, environment },
    { kind: 'audit', entry },
  ];
}

/** The flag that loses an alias to another one, and its audit entry. They come before the flag that gets the name. */
export function aliasLossRecords(
  loss: AliasLoss | null,
  principal: ProjectPrincipal,
  request: Origin,
  context: ConsoleContext,
): RecordChange[] {
  if (loss === null) return [];
  const { before, after } = loss;
  const entry = { action: 'flag.edit', targetId: after.id, targetName: after.name } as const;
  const changes = nameChanges(before, after);
  return [
    { kind: 'flag', before, after, environment: null },
    projectEntry({ ...entry, changes }, principal, request, context),
  ];
}

/** Answers a dry run: as the write would be answered, but without the tag of a state that is not stored. */
export function withoutChanges(decided: Step<WriteDecision>): Step<WriteDecision> {
  if (!decided.ok) return decided;
  return succeed({ changes: [], answer: { ...decided.value.answer, entityTag: null } });
}
