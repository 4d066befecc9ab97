import type { RecordQueries } from '../record-queries.ts';
import { mayStillMake } from '../session/link-rules.ts';
import { isLinkOver, type OneTimeLink, type OneTimeLinkPurpose } from '../session/one-time-link.ts';

export type InvitationPurpose = Extract<OneTimeLinkPurpose, { kind: 'invitation' }>;

/** A link that makes its follower a member. */
export interface Invitation extends OneTimeLink {
  readonly purpose: InvitationPurpose;
}

export function isInvitation(link: OneTimeLink): link is Invitation {
  return link.purpose.kind === 'invitation';
}

/** Whether the link is an invitation that can still be used. */
export function isOpenInvitation(queries: RecordQueries, link: OneTimeLink, now: number): link is Invitation {
  return isInvitation(link) && !isLinkOver(link, now) && mayStillMake(queries, link);
}

/** The organisation's invitations that can still be used. */
export function openInvitations(
  queries: RecordQueries,
  organisationId: string,
  now: number,
): readonly Invitation[] {
  const links = [...queries.oneTimeLinksOf(organisationId)];
  return links.filter((link) => isOpenInvitation(queries, link, now));
}
