import type { AuditEntry } from '../../domain/audit/audit-entry.ts';
import { succeed } from '../../domain/outcome.ts';
import type { FailedSignIns } from '../../domain/session/failed-sign-ins.ts';
import { facts } from '../audit-entries.ts';
import { anybody, type ConsoleRequest, writeStep } from '../operation.ts';

/** Records failed sign-ins of a member, from one address or from several. */
export const recordFailedSignIns = writeStep(
  'record-failed-sign-ins',
  anybody,
  (queries, { body }: ConsoleRequest<FailedSignIns>, _principal, { now, newId }) => {
    const { memberId, address, requestId, attempts, since } = body;
    const member = queries.member(memberId);
    if (member === undefined) return succeed({ changes: [], reply: {} });
    const entry: AuditEntry = {
      id: newId(),
      ledgerId: member.organisationId ?? member.id,
      projectId: null,
      at: now,
      actor: { kind: 'anonymous', id: '', name: 'anonymous' },
      action: 'session.refuse',
      targetId: member.id,
      targetName: member.name,
      environment: null,
      changes: facts({ attempts, since }),
      requestId,
      address,
    };
    return succeed({ changes: [{ kind: 'audit', entry }], reply: {} });
  },
);
