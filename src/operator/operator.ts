import type { Outcome } from '../domain/problem.ts';
import type { OperatorLinkArgs, OperatorLinkResult, OperatorWriterPort, RevokeTokenArgs, RevokeTokenResult, SetPlanArgs, SetPlanResult } from '../writer/operator-port-protocol.ts';
import type { ApplyOutcome, ApplyProgress } from './apply-outcome.ts';
import { Provisioning } from './provisioning.ts';

/** The address that the link begins with is whoever's holds the store. */
export type SignInLinkArgs = Omit<OperatorLinkArgs, 'baseUrl'>;

/** What an operator can do to a store, whether a server holds it or the command line does. */
export interface Operator {
  /** @param signal gives it up, as long as nothing is being written. */
  apply(file: Uint8Array, onProgress: ApplyProgress, signal: AbortSignal): Promise<ApplyOutcome>;
  setPlan(args: SetPlanArgs): Promise<Outcome<SetPlanResult>>;
  makeSignInLink(args: SignInLinkArgs): Promise<Outcome<OperatorLinkResult>>;
  revokeToken(args: RevokeTokenArgs): Promise<Outcome<RevokeTokenResult>>;
}

export interface OperatorOptions {
  readonly port: OperatorWriterPort;
  /** Of new token secrets. */
  readonly tokenPrefix: string;
  /** Of links. */
  readonly baseUrl: string;
}

/** The operator beside the writer whose port it holds. Everything slow happens here, not on the writer's thread. */
export function createOperator({ port, tokenPrefix, baseUrl }: OperatorOptions): Operator {
  return {
    apply: (file, onProgress, signal) => new Provisioning(port, tokenPrefix, onProgress, signal).run(file),
    setPlan: (args) => port.setPlan(args),
    makeSignInLink: (args) => port.makeSignInLink({ ...args, baseUrl }),
    revokeToken: (args) => port.revokeToken(args),
  };
}
