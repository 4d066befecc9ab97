import type { Outcome } from '../domain/problem.ts';
import type {
  OperatorWriterPort,
  RevokeTokenArgs,
  RevokeTokenResult,
  SetPlanArgs,
  SetPlanResult,
} from '../writer/operator-port-protocol.ts';
import type { ApplyOutcome, ApplyProgress } from './apply-outcome.ts';
import { Provisioning } from './provisioning.ts';

/** What an operator can do to a store, whether a server holds it or the command line does. */
export interface Operator {
  /** @param signal gives it up, as long as nothing is being written. */
  apply(file: Uint8Array, onProgress: ApplyProgress, signal: AbortSignal): Promise<ApplyOutcome>;
  setPlan(args: SetPlanArgs): Promise<Outcome<SetPlanResult>>;
  revokeToken(args: RevokeTokenArgs): Promise<Outcome<RevokeTokenResult>>;
}

export interface OperatorOptions {
  readonly port: OperatorWriterPort;
  /** Of new token secrets. */
  readonly tokenPrefix: string;
}

/** The operator beside the writer whose port it holds. Everything slow happens here, not on the writer's thread. */
export function createOperator({ port, tokenPrefix }: OperatorOptions): Operator {
  return {
    apply: (file, onProgress, signal) => new Provisioning(port, tokenPrefix, onProgress, signal).run(file),
    setPlan: (args) => port.setPlan(args),
    revokeToken: (args) => port.revokeToken(args),
  };
}
