import type { MessagePort } from 'node:worker_threads';
import type { Outcome } from '../domain/problem.ts';
import type {
  RevokeTokenArgs,
  RevokeTokenResult,
  SetPlanArgs,
  SetPlanResult,
} from '../writer/operator-port-protocol.ts';
import type { ProvisionCounts } from '../writer/provision/provision-protocol.ts';
import type { ApplyPhase } from './apply-outcome.ts';

/** What the operator's thread needs to start. */
export interface OperatorSetup {
  readonly directory: string;
  readonly storeId: string;
  readonly tokenPrefix: string;
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

/**
 * What crosses the Unix socket, in frames (`frame-codec.ts`): the server greets, the client asks one thing, the server
 * answers and closes. The store's id goes both ways before anything is done.
 */
export type ClientMessage =
  | ({ readonly kind: 'apply'; readonly fileBytes: number } & ToStore)
  /** Carries the file; sent when the server is ready for it. */
  | { readonly kind: 'file' }
  | ({ readonly kind: 'set-plan'; readonly args: SetPlanArgs } & ToStore)
  | ({ readonly kind: 'revoke-token'; readonly args: RevokeTokenArgs } & ToStore);

interface ToStore {
  readonly storeId: string;
}

export type ServerMessage =
  | { readonly kind: 'hello'; readonly protocolVersion: number; readonly storeId: string }
  /** Its turn has come: one file is applied at a time. */
  | { readonly kind: 'ready-for-file' }
  | { readonly kind: 'progress'; readonly phase: ApplyPhase; readonly done: number; readonly total: number }
  /** Carries the document. */
  | { readonly kind: 'applied'; readonly warnings: readonly string[]; readonly counts: ProvisionCounts }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly problemCount: number }
  | { readonly kind: 'plan-set'; readonly outcome: Outcome<SetPlanResult> }
  | { readonly kind: 'token-revoked'; readonly outcome: Outcome<RevokeTokenResult> }
  /** Something broke; the message is for people. */
  | { readonly kind: 'failed'; readonly message: string };
