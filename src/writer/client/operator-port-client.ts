import type { MessagePort } from 'node:worker_threads';
import type { Outcome } from '../../domain/outcome.ts';
import { PortCalls, PortClosedError } from '../../support/port-calls.ts';
import type { WriterVerbArgs, WriterVerbName } from '../thread/operator-verbs.ts';
import type { ProvisionOutcome, ProvisionRequest } from './provision-protocol.ts';

/** The operator's calls to the writer: one map from name to arguments and result. */
export interface WriterCalls {
  /** Returns the stored hashes, in order; null where there is no such member, or no password. */
  readonly passwordHashes: {
    readonly args: readonly MemberName[];
    readonly result: readonly (string | null)[];
  };
  /** Applies a checked document in one transaction, all of it or nothing. */
  readonly provision: { readonly args: ProvisionRequest; readonly result: ProvisionOutcome };
  /** Runs one of `writerVerbs`, and returns its command's answer. */
  readonly runVerb: { readonly args: VerbCall; readonly result: Outcome<unknown> };
}

/** How the operator calls the writer, in the same thread or another one. */
export type CallWriter = <Name extends keyof WriterCalls>(
  name: Name,
  args: WriterCalls[Name]['args'],
) => Promise<WriterCalls[Name]['result']>;

/** The writer in another thread. */
export function remoteWriter(port: MessagePort): CallWriter {
  const calls = new PortCalls<WriterCalls, Record<never, never>>(port, {});
  return async (name, args) => {
    try {
      return await calls.ask(name, args);
    } catch (fault) {
      if (!(fault instanceof PortClosedError)) throw fault;
      throw new Error('the writer has ended; whether the change was applied is unknown');
    }
  };
}

/** A member, as a document identifies one. */
export interface MemberName {
  readonly organisation: string;
  readonly email: string;
}

/** The arguments have the shape that the verb declares. */
export type VerbCall = {
  readonly [Name in WriterVerbName]: { readonly name: Name; readonly args: WriterVerbArgs<Name> };
}[WriterVerbName];
