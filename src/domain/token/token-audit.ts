import type { AuditAction, AuditChange, AuditEntry } from '../audit/audit-entry.ts';
import type { ProjectPrincipal } from '../console/console-principal.ts';
import type { Token } from './token.ts';

interface AuditStamp {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly address: string;
}

/** A member's actions on a token. */
export function tokenAuditEntry(
  { member, project }: ProjectPrincipal,
  action: Extract<AuditAction, `token.${string}`>,
  token: Token,
  changes: readonly AuditChange[],
  stamp: AuditStamp,
): AuditEntry {
  return {
    ...stamp,
    ledgerId: project.organisationId ?? project.id,
    projectId: project.id,
    actor: { kind: 'member', id: member.id, name: member.name },
    action,
    targetId: token.id,
    targetName: token.name,
    environment: null,
    changes,
  };
}

/** The fields of a new token; no limit is `[]`, as in the API. The secret is in no entry. */
export function newTokenChanges({ name, permission, environments, expiresAt }: Token): AuditChange[] {
  const fields = { name, permission, environments: environments ?? [], expiresAt };
  return Object.entries(fields).map(([field, after]) => ({ field, before: null, after }));
}
