import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { isSessionOver } from '../../domain/session/session.ts';
import { anybody, type ConsoleRequest, readStep } from '../operation.ts';
import type { Credential, FindCredentials, FoundCredentials } from './step-bodies.ts';

/** The most organisations whose hashes a sign-in with a password checks: each has a member with this email. */
const credentialsMax = 16;

/** The members with an email, before the password is checked. */
export const findCredentials = readStep(
  'find-credentials',
  anybody,
  (queries, { body, address }: ConsoleRequest<FindCredentials>, _principal, { now }) => {
    const credentials: Credential[] = [];
    const memberIds: string[] = [];
    let isKnownAddress = false;
    for (const member of queries.membersByEmail(body.email)) {
      const { id, organisationId, passwordHash } = member;
      if (memberIds.length < credentialsMax) memberIds.push(id);
      if (passwordHash === null) continue;
      credentials.push({
        memberId: id,
        organisationName: nameOf(queries, organisationId),
        passwordHash,
      });
      isKnownAddress ||= hasSessionAt(queries, id, address, now);
      if (credentials.length === credentialsMax) break;
    }
    return succeed({ value: { memberIds, credentials, isKnownAddress } satisfies FoundCredentials });
  },
);

/** @returns whether a live session of the member was opened in the network of an address */
function hasSessionAt(queries: RecordQueries, memberId: string, address: string, now: number): boolean {
  for (const session of queries.sessionsOf(memberId)) {
    if (networkOf(session.address) === networkOf(address) && !isSessionOver(session, now)) return true;
  }
  return false;
}

/** @param address as requests have it: an IPv4 address, or the eight groups of an IPv6 one. @returns its /64, or itself */
function networkOf(address: string): string {
  return address.split(':').slice(0, 4).join(':');
}

function nameOf(queries: RecordQueries, organisationId: string | null): string {
  if (organisationId === null) return 'Personal projects';
  return queries.organisation(organisationId)?.name ?? '';
}
