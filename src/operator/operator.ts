import type { Outcome } from '../domain/outcome.ts';
import type { VerbCall } from '../writer/client/operator-port-client.ts';
import {
  isWriterVerb,
  type WriterVerbArgs,
  type WriterVerbName,
  type WriterVerbResult,
} from '../writer/thread/operator-verbs.ts';
import { type ApplyOutcome, applyFile, type OperatorContext } from './apply-file.ts';

/** `apply` runs on the operator's thread and takes a file. The other verbs are each one command of the writer. */
export type VerbName = 'apply' | WriterVerbName;
type VerbArgs<Name extends VerbName> = Name extends WriterVerbName ? WriterVerbArgs<Name> : Uint8Array;
type VerbAnswer<Name extends VerbName> = Name extends WriterVerbName
  ? Outcome<WriterVerbResult<Name>>
  : ApplyOutcome;

/** Runs a verb on a store, in the server that holds the store or in this process. */
export type Operator = <Name extends VerbName>(verb: Name, args: VerbArgs<Name>) => Promise<VerbAnswer<Name>>;

export function createOperator(context: OperatorContext): Operator {
  const run = (verb: VerbName, args: unknown) =>
    isWriterVerb(verb)
      ? context.callWriter('runVerb', { name: verb, args } as VerbCall)
      : applyFile(args as Uint8Array, context);
  // The verb's name decides the types of arguments and answer: see `VerbArgs`.
  return run as Operator;
}
