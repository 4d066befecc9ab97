import { type RefusedWith, refuse } from '../outcome.ts';

/**
 * The reasons for which the console's API refuses: a closed list; `contracts/problem-table.ts` has status and title.
 */
export const consoleProblemCodes = [
  'invalid-request',
  'wrong-credentials',
  'not-signed-in',
  'plan-required',
  'not-permitted',
  'foreign-origin',
  'other-member',
  'not-found',
  'conflict',
  'in-use',
  'protected',
  'link-over',
  'payload-too-large',
  'request-timeout',
  'too-many-attempts',
  'too-many-requests',
  'write-quota-reached',
  'internal-error',
  'service-unavailable',
  'not-confirmed',
  'storage-full',
] as const;
export type ConsoleProblemCode = (typeof consoleProblemCodes)[number];

export interface ConsoleProblem {
  readonly code: ConsoleProblemCode;
  /** For people: cause and fix. */
  readonly detail: string;
  /** Members in addition to the envelope's own: `current` of a conflict, `uses` of a record that is in use. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A write must not replace what another member has stored since. @param current the view of what is stored now. */
export function refuseConflict(what: string, current: unknown): RefusedWith<ConsoleProblem> {
  const detail = `The ${what} has changed since this edit began. Compare your edit with what is stored now, and send it again with the present revision.`;
  return refuse('conflict', detail, { current });
}
