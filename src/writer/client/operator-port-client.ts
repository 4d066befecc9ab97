import type { MessagePort } from 'node:worker_threads';
import type { Outcome } from '../../domain/problem.ts';
import type { WriterVerbArgs, WriterVerbName } from '../thread/operator-verbs.ts';
import type { FlagSlice, ProvisionOutcome, ProvisionRequest } from './provision-protocol.ts';

/** A member as a provisioning names one. */
export interface MemberName {
  readonly organisation: string;
  readonly email: string;
}

/** One map from message to arguments and result: what the operator asks of the writer. */
export interface WriterCalls {
  /** The stored hashes, in order; null where there is no such member, or none has been set. */
  readonly passwordHashes: {
    readonly args: readonly MemberName[];
    readonly result: readonly (string | null)[];
  };
  /** Keeps a slice for the commit of the same provisioning; a new provisioning drops what another left behind. */
  readonly stage: {
    readonly args: { readonly provisionId: string; readonly slice: FlagSlice };
    readonly result: null;
  };
  /** Applies the request and its staged slices, whole or not at all, and drops the slices. */
  readonly commit: {
    readonly args: { readonly provisionId: string; readonly request: ProvisionRequest };
    readonly result: ProvisionOutcome;
  };
  /** Drops what was staged. */
  readonly discard: { readonly args: null; readonly result: null };
  /** Runs one of `writerVerbs`, and returns what its command answers. */
  readonly runVerb: { readonly args: VerbCall; readonly result: Outcome<unknown> };
}
export type WriterCallName = keyof WriterCalls;

/** The arguments have the verb's shape. */
export type VerbCall = {
  readonly [Name in WriterVerbName]: { readonly name: Name; readonly args: WriterVerbArgs<Name> };
}[WriterVerbName];

/** Called while a commit is under way: flags decided so far. */
export type CommitProgress = (flagsDone: number) => void;

/** What the operator holds of the writer, in the same thread or across threads. */
export type CallWriter = <Name extends WriterCallName>(
  name: Name,
  args: WriterCalls[Name]['args'],
  onProgress?: CommitProgress,
) => Promise<WriterCalls[Name]['result']>;

/** To the writer's thread. */
export interface OperatorRequest {
  readonly ticket: number;
  readonly name: WriterCallName;
  readonly args: unknown;
}

/** From the writer's thread. */
export type OperatorReply =
  | { readonly kind: 'progress'; readonly ticket: number; readonly flagsDone: number }
  | { readonly kind: 'done'; readonly ticket: number; readonly result: unknown }
  /** It threw: nothing was applied. */
  | { readonly kind: 'failed'; readonly ticket: number; readonly message: string };

interface Waiting {
  readonly onProgress: CommitProgress | undefined;
  resolve(result: unknown): void;
  reject(fault: Error): void;
}

/** The writer across threads. Calls that are under way when its port closes fail. */
export function remoteWriter(port: MessagePort): CallWriter {
  const waiting = new Map<number, Waiting>();
  let nextTicket = 1;
  let isClosed = false;
  port.on('message', (reply: OperatorReply) => {
    const caller = waiting.get(reply.ticket);
    if (reply.kind === 'progress') return caller?.onProgress?.(reply.flagsDone);
    waiting.delete(reply.ticket);
    if (reply.kind === 'done') caller?.resolve(reply.result);
    else caller?.reject(new Error(reply.message));
  });
  port.on('close', () => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(writerGone());
    waiting.clear();
  });

  return <Name extends WriterCallName>(
    name: Name,
    args: WriterCalls[Name]['args'],
    onProgress?: CommitProgress,
  ) => {
    if (isClosed) return Promise.reject(writerGone());
    const ticket = nextTicket++;
    return new Promise<WriterCalls[Name]['result']>((resolve, reject) => {
      // The writer answers a call with the result of its own name: see `WriterCalls`.
      const settle = (result: unknown): void => resolve(result as WriterCalls[Name]['result']);
      waiting.set(ticket, { onProgress, resolve: settle, reject });
      const request: OperatorRequest = { ticket, name, args };
      port.postMessage(request);
    });
  };
}

function writerGone(): Error {
  return new Error('the writer has ended; whether the change was applied is unknown');
}
