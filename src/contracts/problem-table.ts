import type { ConsoleProblemCode } from '../domain/console/console-problem.ts';
import type { ProblemCode } from '../domain/problem.ts';

/** A problem on the wire. `section` is the anchor in the documentation page that Burgee serves. */
export interface ProblemRow {
  readonly status: number;
  readonly title: string;
  readonly section: string;
}

function row(status: number, title: string, section: string): ProblemRow {
  return { status, title, section };
}

/**
 * The one table from problem code to status, title and documentation section. Titles from `service.md` are word for
 * word; the others come from the decisions.
 */
export const problemTable: Readonly<Record<ProblemCode | ConsoleProblemCode, ProblemRow>> = {
  'invalid-request': row(400, 'Invalid request', 'invalid-request'),
  'missing-bearer-token': row(401, 'Missing bearer token', 'missing-bearer-token'),
  'malformed-bearer-token': row(401, 'Malformed bearer token', 'malformed-bearer-token'),
  'unknown-token': row(401, 'Unknown token', 'unknown-token'),
  'token-revoked': row(401, 'Token revoked', 'token-revoked'),
  'token-expired': row(401, 'Token expired', 'token-expired'),
  'plan-required': row(402, 'Plan required', 'plan-required'),
  'insufficient-permission': row(403, 'Insufficient permission', 'insufficient-permission'),
  'environment-not-permitted': row(403, 'Environment not permitted', 'environment-not-permitted'),
  'create-forbidden': row(403, 'Forbidden', 'create-forbidden'),
  'evaluation-access-off': row(403, 'Evaluation access off', 'evaluation-access-off'),
  'not-found': row(404, 'Not found', 'not-found'),
  'request-timeout': row(408, 'Request timeout', 'request-timeout'),
  'precondition-failed': row(412, 'Precondition failed', 'precondition-failed'),
  'payload-too-large': row(413, 'Payload too large', 'payload-too-large'),
  'too-many-requests': row(429, 'Too many requests', 'too-many-requests'),
  'write-quota-reached': row(429, 'Write quota reached', 'write-quota-reached'),
  'too-many-failed-attempts': row(429, 'Too many failed attempts', 'too-many-failed-attempts'),
  'internal-error': row(500, 'Internal error', 'internal-error'),
  'service-unavailable': row(503, 'Service unavailable', 'service-unavailable'),
  'not-confirmed': row(503, 'Stored, not confirmed everywhere', 'not-confirmed'),
  'storage-full': row(503, 'Storage full', 'storage-full'),
  'wrong-credentials': consoleRow(401, 'Wrong email or password'),
  'not-signed-in': consoleRow(401, 'Not signed in'),
  'not-permitted': consoleRow(403, 'Not permitted'),
  'foreign-origin': consoleRow(403, 'Request from another site'),
  'other-member': consoleRow(409, 'Signed in as someone else'),
  conflict: consoleRow(409, 'Changed meanwhile'),
  'in-use': consoleRow(409, 'Still in use'),
  protected: consoleRow(409, 'Still protected'),
  'link-over': consoleRow(410, 'Link used or expired'),
  'too-many-attempts': consoleRow(429, 'Too many attempts'),
};

/** Problems of the console only. */
function consoleRow(status: number, title: string): ProblemRow {
  return row(status, title, 'console');
}

/** A problem of either API. */
export interface ApiProblem {
  readonly code: keyof typeof problemTable;
  /** For people: cause and fix. */
  readonly detail: string;
  /** Members in addition to the envelope's own: `current` of a conflict, `uses` of a record that is in use. */
  readonly extra?: Readonly<Record<string, unknown>>;
}
