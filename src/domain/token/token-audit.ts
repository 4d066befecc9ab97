import type { AuditAction, AuditChange, AuditEntry } from '../audit/audit-entry.ts';
import type { ProjectPrincipal } from '../console/console-principal.ts';
import type { Token } from './token.ts';

interface AuditStamp {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
}

/** What a member did to a token. */
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

/** What a new token is, field by field; no limit is `[]`, as the API shows it. The secret is in no entry. */
export function newTokenChanges({ name, permission, environments, expiresAt }: Token): AuditChange[] {
  const fields = { name, permission, environments: environments ?? [], expiresAt };
  return Object.entries(fields).map(([field, after]) => ({ field, before: null, after }));
}
