import type { ConsoleProblemCode } from '../../domain/console/console-problem.ts';

interface ConsoleProblemRow {
  readonly status: number;
  readonly title: string;
}

function row(status: number, title: string): ConsoleProblemRow {
  return { status, title };
}

/** How a problem of the console's API looks on the wire: `{error, detail, docs}` and what `extra` adds. */
export const consoleProblemTable: Readonly<Record<ConsoleProblemCode, ConsoleProblemRow>> = {
  'invalid-request': row(400, 'Invalid request'),
  'wrong-credentials': row(401, 'Wrong email or password'),
  'not-signed-in': row(401, 'Not signed in'),
  'plan-required': row(402, 'Plan required'),
  'not-permitted': row(403, 'Not permitted'),
  'foreign-origin': row(403, 'Request from another site'),
  'not-found': row(404, 'Not found'),
  conflict: row(409, 'Changed meanwhile'),
  'in-use': row(409, 'Still in use'),
  'link-over': row(410, 'Link used or expired'),
  'payload-too-large': row(413, 'Payload too large'),
  'request-timeout': row(408, 'Request timeout'),
  'too-many-attempts': row(429, 'Too many attempts'),
  'too-many-requests': row(429, 'Too many requests'),
  'write-quota-reached': row(429, 'Write quota reached'),
  'internal-error': row(500, 'Internal error'),
  'service-unavailable': row(503, 'Service unavailable'),
  'storage-full': row(503, 'Storage full'),
};
