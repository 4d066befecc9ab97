import { accountOfMember } from '../../domain/member/member.ts';
import { succeed } from '../../domain/outcome.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { anybody, type ConsoleRequest, readStep } from '../operation.ts';
import type { Credential, FindCredentials, FoundCredentials } from './step-bodies.ts';

/** Most organisations with a member of the same email for which a sign-in with a password checks hashes. */
const credentialsMax = 16;

/** The members that an email stands for, while the password is still unchecked. */
export const findCredentials = readStep(
  'find-credentials',
  anybody,
  (queries, { body }: ConsoleRequest<FindCredentials>) => {
    const credentials: Credential[] = [];
    for (const member of queries.membersByEmail(body.email)) {
      const { id, organisationId, passwordHash } = member;
      if (passwordHash === null) continue;
      credentials.push({
        memberId: id,
        organisationName: nameOf(queries, organisationId),
        accountId: accountOfMember(member),
        passwordHash,
      });
      if (credentials.length === credentialsMax) break;
    }
    return succeed({ value: { credentials } satisfies FoundCredentials });
  },
);

function nameOf(queries: RecordQueries, organisationId: string | null): string {
  if (organisationId === null) return 'Personal projects';
  return queries.organisation(organisationId)?.name ?? '';
}
