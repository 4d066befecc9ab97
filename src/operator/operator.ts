import type { Outcome } from '../domain/outcome.ts';
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
 * The verbs that take long: they run on the operator's thread, call the writer for each step, and take a file. The
 * verbs that are one command of the writer are in `writer/thread/operator-verbs.ts`.
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

/** Runs a verb on a store, in the server that holds the store or in this process. */
export type Operator = <Name extends VerbName>(
  verb: Name,
  args: VerbArgs<Name>,
  onProgress?: ApplyProgress,
) => Promise<VerbAnswer<Name>>;

/** The operator, which calls the writer. Slow work runs here, not on the writer's thread. */
export function createOperator(context: OperatorContext): Operator {
  const run = (verb: VerbName, args: unknown, onProgress: ApplyProgress = () => undefined) =>
    isWriterVerb(verb)
      ? context.callWriter('runVerb', { name: verb, args } as VerbCall)
      : fileVerbs[verb](args as Uint8Array, context, onProgress);
  // The verb's name decides the types of arguments and answer: see `VerbArgs`.
  return run as Operator;
}
