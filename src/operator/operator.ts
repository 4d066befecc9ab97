import type { Outcome } from '../domain/problem.ts';
import type { VerbCall } from '../writer/client/operator-port-client.ts';
import {
  isWriterVerb,
  type WriterVerbArgs,
  type WriterVerbName,
  type WriterVerbResult,
} from '../writer/thread/operator-verbs.ts';
import type { ApplyProgress } from './operator-protocol.ts';
import { applyFile, type OperatorContext } from './provisioning.ts';

/**
 * The verbs that run on the operator's thread, because they take long, and call the writer for each step. Each is sent a
 * file. The verbs that are one command of the writer are in `writer/thread/operator-verbs.ts`.
 */
export const fileVerbs = { apply: applyFile } as const;

type FileVerbs = typeof fileVerbs;
export type VerbName = keyof FileVerbs | WriterVerbName;
export type VerbArgs<Name extends VerbName> = Name extends WriterVerbName ? WriterVerbArgs<Name> : Uint8Array;
export type VerbAnswer<Name extends VerbName> = Name extends WriterVerbName
  ? Outcome<WriterVerbResult<Name>>
  : Name extends keyof FileVerbs
    ? Awaited<ReturnType<FileVerbs[Name]>>
    : never;

/** Runs a verb on a store, in the server that holds it or in this process. */
export type Operator = <Name extends VerbName>(
  verb: Name,
  args: VerbArgs<Name>,
  onProgress?: ApplyProgress,
) => Promise<VerbAnswer<Name>>;

/** The operator beside the writer that it calls. Everything slow happens here, not on the writer's thread. */
export function createOperator(context: OperatorContext): Operator {
  const run = (verb: VerbName, args: unknown, onProgress: ApplyProgress = () => undefined) =>
    isWriterVerb(verb)
      ? context.callWriter('runVerb', { name: verb, args } as VerbCall)
      : fileVerbs[verb](args as Uint8Array, context, onProgress);
  // The verb's name says of which type arguments and answer are: see `VerbArgs`.
  return run as Operator;
}
