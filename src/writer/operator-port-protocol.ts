import type { Outcome } from '../domain/problem.ts';
import type { OperatorLinkArgs, OperatorLinkResult } from './commands/make-operator-link.ts';
import type { RevokeTokenArgs, RevokeTokenResult } from './commands/revoke-token.ts';
import type { SetPlanArgs, SetPlanResult } from './commands/set-plan.ts';
import type { FlagSlice, ProvisionOutcome, ProvisionRequest } from './provision/provision-protocol.ts';

export type { OperatorLinkArgs, OperatorLinkResult } from './commands/make-operator-link.ts';
export type { RevokeTokenArgs, RevokeTokenResult } from './commands/revoke-token.ts';
export type { PlanFields, SetPlanArgs, SetPlanResult } from './commands/set-plan.ts';

/** A member as a provisioning names one. */
export interface MemberName {
  readonly organisation: string;
  readonly email: string;
}

/** One map from message to arguments and result: what the operator asks of the writer. */
export interface OperatorCalls {
  /** The stored hashes, in order; null where there is no such member, or none has been set. */
  readonly passwordHashes: {
    readonly args: readonly MemberName[];
    readonly result: readonly (string | null)[];
  };
  /** Keeps a slice for the commit of the same provisioning; a new provisioning drops what another left behind. */
  readonly stage: { readonly args: StageArgs; readonly result: null };
  /** Applies the request and its staged slices, whole or not at all, and drops the slices. */
  readonly commit: { readonly args: CommitArgs; readonly result: ProvisionOutcome };
  /** Drops what was staged. */
  readonly discard: { readonly args: null; readonly result: null };
  readonly setPlan: { readonly args: SetPlanArgs; readonly result: Outcome<SetPlanResult> };
  readonly makeSignInLink: {
    readonly args: OperatorLinkArgs;
    readonly result: Outcome<OperatorLinkResult>;
  };
  readonly revokeToken: { readonly args: RevokeTokenArgs; readonly result: Outcome<RevokeTokenResult> };
}
export type OperatorCallName = keyof OperatorCalls;

export interface StageArgs {
  readonly provisionId: string;
  readonly slice: FlagSlice;
}

export interface CommitArgs {
  readonly provisionId: string;
  readonly request: ProvisionRequest;
}

/** Told while a commit is under way: flags decided so far. */
export type CommitProgress = (flagsDone: number) => void;

/** What the operator holds of the writer, in the same process or across threads. */
export type OperatorWriterPort = {
  readonly [Name in OperatorCallName]: (
    args: OperatorCalls[Name]['args'],
    onProgress?: CommitProgress,
  ) => Promise<OperatorCalls[Name]['result']>;
};

/** To the writer's thread. */
export type OperatorRequest = {
  readonly [Name in OperatorCallName]: {
    readonly ticket: number;
    readonly name: Name;
    readonly args: OperatorCalls[Name]['args'];
  };
}[OperatorCallName];

/** From the writer's thread. */
export type OperatorReply =
  | { readonly kind: 'progress'; readonly ticket: number; readonly flagsDone: number }
  | { readonly kind: 'done'; readonly ticket: number; readonly result: unknown }
  /** It threw: nothing was applied. */
  | { readonly kind: 'failed'; readonly ticket: number; readonly message: string };
