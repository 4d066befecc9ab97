import type { MadeLink } from '../../contracts/console/member-views.ts';
import type { AuditChange } from '../../domain/audit/audit-entry.ts';
import type { OneTimeLink, OneTimeLinkPurpose } from '../../domain/session/one-time-link.ts';
import { facts } from '../audit-entries.ts';
import type { ConsoleContext } from '../operation.ts';

export interface LinkPlan {
  readonly organisationId: string;
  readonly purpose: OneTimeLinkPurpose;
  /** Id of the member who makes it; null when the operator does. */
  readonly createdBy: string | null;
  readonly lifetimeMs: number;
}

export type LinkContext = Pick<ConsoleContext, 'now' | 'newId' | 'newSecret' | 'hashSecret' | 'baseUrl'>;

/** @returns a new link as it is stored, and as it is shown this once: its address has the secret in the fragment. */
export function makeLink(
  { organisationId, purpose, createdBy, lifetimeMs }: LinkPlan,
  { now, newId, newSecret, hashSecret, baseUrl }: LinkContext,
): { readonly link: OneTimeLink; readonly made: MadeLink } {
  const secret = newSecret();
  const [id, expiresAt] = [newId(), now + lifetimeMs];
  const link: OneTimeLink = {
    ...{ id, organisationId, purpose, createdBy, expiresAt },
    secretHash: hashSecret(secret),
    createdAt: now,
  };
  return { link, made: { id, url: `${baseUrl}/console/link#${secret}`, expiresAt } };
}

/** @returns the changes of the audit entry for a new sign-in link. The entry for following it has the same id. */
export function madeLinkChanges({ id, expiresAt }: OneTimeLink): readonly AuditChange[] {
  return facts({ linkId: id, linkExpiresAt: expiresAt });
}
