import { guardRequest, type Principal } from '../../domain/management/guard.ts';
import type { Step } from '../../domain/management/refusal.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ManagementCall } from './management-call.ts';
import type { ManagementContext } from './management-context.ts';
import { routeRules } from './route-rules.ts';

/** The guard on a call as it crossed: steps 4 to 7 of the order of checks. */
export function guardCall(
  queries: RecordQueries,
  { route, authorization }: ManagementCall,
  context: ManagementContext,
): Step<Principal> {
  const permission = route === null ? null : routeRules[route].permission;
  return guardRequest(queries, { authorization, permission }, context);
}
