import { allow } from '../../domain/console/console-problem.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { anybody, type ConsoleRequest, readStep } from '../operation.ts';
import type { Credential, FindCredentials, FoundCredentials } from './step-bodies.ts';

/** Organisations that one person may be in with one email, as far as signing in with a password goes. */
const credentialsMax = 16;

/** Who may be meant by an email and a password that is still to be checked. */
export const findCredentials = readStep(
  'find-credentials',
  anybody,
  (queries, { body }: ConsoleRequest<FindCredentials>) => {
    const credentials: Credential[] = [];
    for (const { id, organisationId, passwordHash } of queries.membersByEmail(body.email)) {
      if (passwordHash === null) continue;
      credentials.push({
        memberId: id,
        organisationName: nameOf(queries, organisationId),
        passwordHash,
      });
      if (credentials.length === credentialsMax) break;
    }
    return allow({ value: { credentials } satisfies FoundCredentials });
  },
);

function nameOf(queries: RecordQueries, organisationId: string | null): string {
  if (organisationId === null) return 'Personal projects';
  return queries.organisation(organisationId)?.name ?? '';
}
