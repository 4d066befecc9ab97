import type { AuditAction, AuditChange, AuditEntry } from '../../domain/audit/audit-entry.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import type { Principal } from '../../domain/management/guard.ts';
import { refuseRequest, type Step } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { Token } from '../../domain/token/token.ts';
import type { ApiCall } from '../call.ts';
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

const tooLarge = 'The request body is larger than 1 MiB (1,048,576 bytes). Send a smaller one.';

/** Step 8 of the order of checks; the worker has counted the bytes. */
export function limitBody(token: Token, call: ApiCall): Step<null> {
  return call.isBodyTooLarge ? refuseRequest(token, 'payload-too-large', tooLarge) : succeed(null);
}

/** Answers a dry run: as the write would be answered, but without the tag of a state that is not stored. */
export function withoutChanges(decided: Step<WriteDecision>): Step<WriteDecision> {
  if (!decided.ok) return decided;
  return succeed({ changes: [], answer: { ...decided.value.answer, entityTag: null } });
}
