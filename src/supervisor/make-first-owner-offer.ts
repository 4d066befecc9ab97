import type { FirstOwnerOffer } from '../domain/session/first-owner-offer.ts';
import { linkLifetimeMs } from '../domain/session/one-time-link.ts';
import { newSecret } from '../operations/operation-context.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { newId } from '../support/random-id.ts';

export interface MadeOffer {
  readonly offer: FirstOwnerOffer;
  /** Contains the secret: shown once while there are no members, and never logged. */
  readonly url: string;
}

/**
 * Each process makes a new link, which works while there are no members.
 * @param baseUrl the address of the service, with which the link begins
 * @param now Unix milliseconds
 */
export function makeFirstOwnerOffer(baseUrl: string, now: number): MadeOffer {
  const secret = newSecret();
  const offer = {
    id: newId(),
    secretHash: hashSecret(secret),
    createdAt: now,
    expiresAt: now + linkLifetimeMs,
  };
  return { offer, url: `${baseUrl}/console/link#${secret}` };
}
