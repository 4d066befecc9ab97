import type { Principal } from '../../domain/management/guard.ts';
import { parseManagementQuery, requestedEnvironments } from '../../domain/management/management-query.ts';
import type { Refusal } from '../../domain/management/refusal.ts';
import { shown } from '../../domain/problem-list.ts';
import type { Denial } from '../../domain/token/denial.ts';
import { errorEnvelope } from '../error-envelope.ts';
import { problemTable } from '../problem-table.ts';
import type { AnswerOwner, ManagementAnswer, ManagementCall } from './management-call.ts';
import type { ManagementContext } from './management-context.ts';
import { routeLabel } from './route-rules.ts';

/**
 * @param body JSON text, whole or in pieces; empty for a 304.
 * @param entityTag of the one flag that the body shows as it is stored.
 */
export function successAnswer(
  status: 200 | 201 | 304,
  body: ManagementAnswer['body'],
  tokenId: string,
  entityTag: string | null = null,
): ManagementAnswer {
  return { status, body, isFailedAuthentication: false, tokenId, denial: null, entityTag };
}

/** @param denial what is still to be recorded; null when nothing is, or when it has been. */
export function refusalAnswer(refusal: Refusal, denial: Denial | null, docsUrl: string): ManagementAnswer {
  const { problem, isFailedAuthentication, tokenId, retryAfter } = refusal;
  const { status } = problemTable[problem.code];
  const body = errorEnvelope(problem, docsUrl);
  const when = retryAfter === undefined ? {} : { retryAfter };
  return { status, body, isFailedAuthentication, tokenId, denial, entityTag: null, ...when };
}

export function ownerOf({ project, organisation }: Principal): AnswerOwner {
  return { projectId: project.id, organisationId: organisation.id };
}

/** @returns the refusal as it is recorded on the token's page; null when it is none of a real token's. */
export function denialOf(refusal: Refusal, call: ManagementCall, context: ManagementContext): Denial | null {
  const { tokenId, denialReason: reason } = refusal;
  if (tokenId === null || reason === null) return null;
  const environment = refusal.environment ?? firstEnvironment(call.query);
  return {
    tokenId,
    at: context.now,
    reason,
    route: routeLabel(call.route),
    environment,
    address: call.address,
  };
}

function firstEnvironment(query: string): string | null {
  const [environment] = requestedEnvironments(parseManagementQuery(query));
  return environment === undefined ? null : shown(environment);
}
