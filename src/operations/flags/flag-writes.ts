import type { AuditAction, AuditChange, AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import type { Principal } from '../../domain/management/guard.ts';
import type { Step } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { WriteDecision } from '../management-operation.ts';

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

/** Answers a dry run: as the write would be answered, but without the tag of a state that is not stored. */
export function withoutChanges(decided: Step<WriteDecision>): Step<WriteDecision> {
  if (!decided.ok) return decided;
  return succeed({ changes: [], answer: { ...decided.value.answer, entityTag: null } });
}
