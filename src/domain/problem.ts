/**
 * Expected failures are values. A `Problem` names its kind by a code from a closed list; `contracts/problem-table.ts`
 * gives each code its status, title and documentation section. `detail` is for people: cause and fix, never parsed.
 */
export const problemCodes = [
  'invalid-request',
  'missing-bearer-token',
  'malformed-bearer-token',
  'unknown-token',
  'token-revoked',
  'token-expired',
  'plan-required',
  'insufficient-permission',
  'environment-not-permitted',
  'create-forbidden',
  'evaluation-access-off',
  'not-found',
  'request-timeout',
  'precondition-failed',
  'payload-too-large',
  'too-many-requests',
  'write-quota-reached',
  'too-many-failed-attempts',
  'internal-error',
  'service-unavailable',
  'not-confirmed',
  'storage-full',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

export interface Problem {
  readonly code: ProblemCode;
  readonly detail: string;
}
