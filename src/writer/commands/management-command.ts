import type { ManagementAnswer, ManagementCall } from '../../contracts/management/management-call.ts';
import type { ManagementContext } from '../../contracts/management/management-context.ts';
import type { Principal } from '../../domain/management/guard.ts';
import type { Step } from '../../domain/management/refusal.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { CommandContext } from './command.ts';

export interface WriteContext extends ManagementContext, CommandContext {
  /** SHA-256, 32 bytes. */
  hashBytes(bytes: Uint8Array): Uint8Array;
}

/** A write that was decided. `changes` are stored whole before `answer` is given; a refusal may have some too. */
export interface WriteDecision {
  readonly changes: readonly RecordChange[];
  readonly answer: ManagementAnswer;
}

/** A write of the Management API, from step 8 of the order of checks on. */
export type ManagementCommand = (
  queries: RecordQueries,
  call: ManagementCall,
  principal: Principal,
  context: WriteContext,
) => Step<WriteDecision>;
