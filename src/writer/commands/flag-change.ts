import type { AuditAction, AuditChange, AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import type { Principal } from '../../domain/management/guard.ts';
import type { RecordChange } from '../../domain/record-change.ts';

/** A flag's change as a token made it. */
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
