import { allow, type ConsoleOutcome, deny } from '../console/console-problem.ts';
import type { RecordQueries } from '../record-queries.ts';
import { isSecretText } from '../token/token-secret.ts';
import { type FirstOwnerOffer, firstOwnerLink } from './first-owner-offer.ts';
import { mayStillMake } from './may-still-make.ts';
import { isLinkOver, type OneTimeLink } from './one-time-link.ts';

interface LinkContext {
  readonly now: number;
  readonly firstOwnerOffer: FirstOwnerOffer;
  hashSecret(secret: string): Uint8Array;
}

const over =
  'This link has been used, has expired or was withdrawn. Ask an Admin of your organisation for a new one, or the operator of this service (`burgee member sign-in-link`).';

/** One answer for a link that is over and for one that never was. */
export function linkOver(): ConsoleOutcome<never> {
  return deny('link-over', over);
}

/** @param secret as it stands in the link's fragment */
export function findUsableLink(
  queries: RecordQueries,
  secret: string,
  { now, hashSecret, firstOwnerOffer }: LinkContext,
): ConsoleOutcome<OneTimeLink> {
  if (!isSecretText(secret)) return linkOver();
  const hash = hashSecret(secret);
  const link = firstOwnerLink(queries, firstOwnerOffer, hash) ?? storedLink(queries, hash);
  if (link === undefined || isLinkOver(link, now)) return linkOver();
  return mayStillMake(queries, link) ? allow(link) : linkOver();
}

/** A first Owner's link that an earlier version has stored ended with the process that showed it. */
function storedLink(queries: RecordQueries, secretHash: Uint8Array): OneTimeLink | undefined {
  const link = queries.oneTimeLinkBySecretHash(secretHash);
  return link?.purpose.kind === 'first-owner' ? undefined : link;
}
