import type { AuditChange, AuditEntry } from '../domain/audit/audit-entry.ts';
import {
  type ConsolePrincipal,
  ownOrganisation,
  type ProjectPrincipal,
} from '../domain/console/console-principal.ts';
import type { Member } from '../domain/member/member.ts';
import type { Project } from '../domain/project/project.ts';
import type { RecordChange } from '../domain/record-change.ts';
import type { ConsoleContext, ConsoleRequest } from './operation.ts';

/** @returns the audit chain of a project: its organisation's, or a personal project's own. */
export function ledgerOf(project: Project): string {
  return project.organisationId ?? project.id;
}

/** Where a change comes from. */
export type Origin = Pick<ConsoleRequest, 'requestId' | 'address'>;

/** The entry says that a password was set, and nothing about it. */
export const passwordChange: AuditChange = { field: 'password', before: null, after: 'set' };

/** The values that an action has, as changes from nothing. */
export function facts(values: Readonly<Record<string, unknown>>): AuditChange[] {
  return Object.entries(values).map(([field, after]) => ({ field, before: null, after }));
}

/** @returns the audit entry of a change that a member makes to itself. */
export function ownEntry(
  { id, name, organisationId }: Member,
  action: AuditEntry['action'],
  changes: readonly AuditChange[],
  { requestId, address }: ConsoleRequest,
  { now, newId }: ConsoleContext,
): RecordChange {
  const actor = { kind: 'member', id, name } as const;
  // A person without an organisation has an audit chain of its own, as in the operator's provisioning.
  const where = { ledgerId: organisationId ?? id, projectId: null, environment: null };
  const what = { action, targetId: id, targetName: name, changes };
  return { kind: 'audit', entry: { id: newId(), at: now, actor, requestId, address, ...where, ...what } };
}

type OrganisationEntry = Pick<AuditEntry, 'action' | 'targetId' | 'targetName' | 'changes'>;

/** @returns the audit entry of a change that a member makes to the organisation, not to one of its projects. */
export function organisationEntry(
  { requestId, address }: ConsoleRequest,
  principal: Pick<ConsolePrincipal, 'member' | 'organisation'>,
  { now, newId }: ConsoleContext,
  entry: OrganisationEntry,
): RecordChange {
  const { id, name } = principal.member;
  const actor = { kind: 'member', id, name } as const;
  const where = { ledgerId: ownOrganisation(principal).id, projectId: null, environment: null };
  return { kind: 'audit', entry: { id: newId(), at: now, actor, requestId, address, ...where, ...entry } };
}

/** The fields that an audit entry in a project still needs. */
type ProjectEntry = Pick<AuditEntry, 'action' | 'targetId' | 'targetName' | 'changes'> & {
  readonly environment?: string | null;
};

/**
 * @returns the audit entry of a member's change in a project, in the ledger of the project's organisation or its own.
 */
export function projectEntry(
  entry: ProjectEntry,
  { project, member }: Pick<ProjectPrincipal, 'project' | 'member'>,
  { requestId, address }: Origin,
  context: ConsoleContext,
): Extract<RecordChange, { kind: 'audit' }> {
  const { environment = null, ...rest } = entry;
  const actor = { kind: 'member', id: member.id, name: member.name } as const;
  const where = { ledgerId: ledgerOf(project), projectId: project.id, environment };
  return {
    kind: 'audit',
    entry: { ...rest, ...where, id: context.newId(), at: context.now, actor, requestId, address },
  };
}
