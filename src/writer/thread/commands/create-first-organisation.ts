import { firstOrganisationName, type Organisation } from '../../../domain/organisation/organisation.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { CommandContext } from './command.ts';

/** A self-hosted install starts with one `enterprise` organisation (decisions, organisations). */
export function createFirstOrganisation({ now, newId }: CommandContext): readonly RecordChange[] {
  const organisation: Organisation = {
    id: newId(),
    name: firstOrganisationName,
    plan: 'enterprise',
    trialEndsAt: null,
    subscription: 'active',
    createdAt: now,
    revision: 1,
  };
  const entry = {
    id: newId(),
    ledgerId: organisation.id,
    projectId: null,
    at: now,
    actor: { kind: 'operator', id: '', name: 'operator' },
    action: 'organisation.create',
    targetId: organisation.id,
    targetName: organisation.name,
    environment: null,
    changes: [{ field: 'plan', before: null, after: organisation.plan }],
    requestId: null,
    address: null,
  } as const;
  return [
    { kind: 'organisation', before: null, after: organisation },
    { kind: 'audit', entry },
  ];
}
