import type { MessagePort } from 'node:worker_threads';
import { type Static, Type } from 'typebox';
import { plans, subscriptions } from '../domain/organisation/organisation.ts';
import type { Outcome } from '../domain/problem.ts';
import type { OperatorLinkResult, RevokeTokenResult, SetPlanResult } from '../writer/operator-port-protocol.ts';
import type { ProvisionCounts } from '../writer/provision/provision-protocol.ts';
import type { ApplyPhase } from './apply-outcome.ts';

/** What the operator's thread needs to start. */
export interface OperatorSetup {
  readonly directory: string;
  readonly storeId: string;
  readonly tokenPrefix: string;
  readonly baseUrl: string;
  /** Leads to the writer's `serveOperatorCommands`. */
  readonly writerPort: MessagePort;
}

/** To the operator's thread. */
export type OperatorControl = { readonly kind: 'stop' };

/** From the operator's thread. */
export type OperatorReport =
  | { readonly kind: 'ready'; readonly socketPath: string }
  /** It could not start. */
  | { readonly kind: 'fatal'; readonly message: string };

/** The largest file that `apply` takes. */
export const fileBytesMax = 512 * 2 ** 20;

/** Moves when client and server would no longer understand one another. */
export const operatorProtocolVersion = 1;

const toStore = { storeId: Type.String() };

const setPlanArgsSchema = Type.Object({
  organisation: Type.String(),
  fields: Type.Object({
    plan: Type.Optional(Type.Enum([...plans])),
    trialEndsAt: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    subscription: Type.Optional(Type.Enum([...subscriptions])),
  }),
});

/**
 * What crosses the Unix socket, in frames (`frame-codec.ts`): the server greets, the client asks one thing, the server
 * answers and closes. The store's id goes both ways before anything is done.
 */
export const clientMessageSchema = Type.Union([
  Type.Object({ kind: Type.Literal('apply'), ...toStore }),
  /** Carries the file; sent when the server is ready for it. */
  Type.Object({ kind: Type.Literal('file') }),
  Type.Object({ kind: Type.Literal('set-plan'), ...toStore, args: setPlanArgsSchema }),
  Type.Object({
    kind: Type.Literal('make-sign-in-link'),
    ...toStore,
    args: Type.Object({
      email: Type.String(),
      organisation: Type.Union([Type.String(), Type.Null()]),
    }),
  }),
  Type.Object({
    kind: Type.Literal('revoke-token'),
    ...toStore,
    args: Type.Object({ tokenId: Type.String() }),
  }),
]);
export type ClientMessage = Static<typeof clientMessageSchema>;

export type ServerMessage =
  | { readonly kind: 'hello'; readonly protocolVersion: number; readonly storeId: string }
  /** Its turn has come: one file is applied at a time. */
  | { readonly kind: 'ready-for-file' }
  | { readonly kind: 'progress'; readonly phase: ApplyPhase; readonly done: number; readonly total: number }
  /** Carries the document. */
  | { readonly kind: 'applied'; readonly warnings: readonly string[]; readonly counts: ProvisionCounts }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly problemCount: number }
  | { readonly kind: 'plan-set'; readonly outcome: Outcome<SetPlanResult> }
  | { readonly kind: 'sign-in-link-made'; readonly outcome: Outcome<OperatorLinkResult> }
  | { readonly kind: 'token-revoked'; readonly outcome: Outcome<RevokeTokenResult> }
  /** Something broke; the message is for people. */
  | { readonly kind: 'failed'; readonly message: string };
