import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { Principal } from '../../domain/management/guard.ts';
import type { Step } from '../../domain/management/refusal.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Steps } from '../../support/steps.ts';

/** A read of the Management API, from step 8 of the order of checks on. */
export type ManagementRead = (
  queries: RecordQueries,
  call: ManagementCall,
  principal: Principal,
) => Step<ManagementAnswer> | LateRead;

/** One that reads a long record first. It denies nothing: what is denied is known before. */
export interface LateRead {
  readonly later: Steps<Step<ManagementAnswer>>;
}
