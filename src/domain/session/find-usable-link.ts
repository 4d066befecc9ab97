import { allow, type ConsoleOutcome, deny } from '../console/console-problem.ts';
import type { RecordQueries } from '../record-queries.ts';
import { isSecretText } from '../token/token-secret.ts';
import { mayStillMake } from './may-still-make.ts';
import { isLinkOver, type OneTimeLink } from './one-time-link.ts';

interface LinkContext {
  readonly now: number;
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
  { now, hashSecret }: LinkContext,
): ConsoleOutcome<OneTimeLink> {
  const link = isSecretText(secret) ? queries.oneTimeLinkBySecretHash(hashSecret(secret)) : undefined;
  if (link === undefined || isLinkOver(link, now) || isTakenUp(queries, link)) return linkOver();
  return mayStillMake(queries, link) ? allow(link) : linkOver();
}

/** The link of the first Owner works in an install without members only. */
function isTakenUp(queries: RecordQueries, { purpose }: OneTimeLink): boolean {
  if (purpose.kind !== 'first-owner') return false;
  for (const _ of queries.members()) return true;
  return false;
}
