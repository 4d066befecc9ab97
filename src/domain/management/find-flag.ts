import { isIdShaped } from '../../support/id-shape.ts';
import type { Flag } from '../flag/flag.ts';
import { succeed } from '../outcome.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Token } from '../token/token.ts';
import type { Principal } from './guard.ts';
import { refuseRequest, type Step } from './refusal.ts';

/**
 * Step 9: an unknown flag and another project's flag get the same answer, so that ids cannot be probed (specification).
 */
export function findFlag(queries: RecordQueries, { token, project }: Principal, id: string): Step<Flag> {
  const flag = isIdShaped(id) ? queries.flag(id) : undefined;
  if (flag?.projectId === project.id) return succeed(flag);
  return refuseUnknownFlag(token);
}

export function refuseUnknownFlag(token: Token): Extract<Step<never>, { ok: false }> {
  return refuseRequest(token, 'not-found', 'No flag with that id exists in this project.');
}

/** Whether the project has an audience with this id. */
export function hasAudience(queries: RecordQueries, projectId: string, id: string): boolean {
  return isIdShaped(id) && queries.audience(id)?.projectId === projectId;
}
