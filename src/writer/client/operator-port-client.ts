import type { MessagePort } from 'node:worker_threads';
import type { Outcome } from '../../domain/outcome.ts';
import type { WriterVerbArgs, WriterVerbName } from '../thread/operator-verbs.ts';
import type { FlagSlice, ProvisionOutcome, ProvisionRequest } from './provision-protocol.ts';

/** A member, as a provisioning identifies one. */
export interface MemberName {
  readonly organisation: string;
  readonly email: string;
}

/** The operator's calls to the writer: one map from message to arguments and result. */
export interface WriterCalls {
  /** Returns the stored hashes, in order; null where there is no such member, or no password. */
  readonly passwordHashes: {
    readonly args: readonly MemberName[];
    readonly result: readonly (string | null)[];
  };
  /**
   * Keeps a slice for the commit of the same provisioning; a new provisioning drops slices that another one left
   * behind.
   */
  readonly stage: {
    readonly args: { readonly provisionId: string; readonly slice: FlagSlice };
    readonly result: null;
  };
  /** Applies the request and its staged slices, all or nothing, and drops the slices. */
  readonly commit: {
    readonly args: { readonly provisionId: string; readonly request: ProvisionRequest };
    readonly result: ProvisionOutcome;
  };
  /** Drops the staged slices. */
  readonly discard: { readonly args: null; readonly result: null };
  /** Runs one of `writerVerbs`, and returns its command's answer. */
  readonly runVerb: { readonly args: VerbCall; readonly result: Outcome<unknown> };
}
export type WriterCallName = keyof WriterCalls;

/** The arguments have the shape that the verb declares. */
export type VerbCall = {
  readonly [Name in WriterVerbName]: { readonly name: Name; readonly args: WriterVerbArgs<Name> };
}[WriterVerbName];

/** Called while a commit runs. Receives how many flags have been decided. */
export type CommitProgress = (flagsDone: number) => void;

/** The operator's way to the writer, in the same thread or another one. */
export type CallWriter = <Name extends WriterCallName>(
  name: Name,
  args: WriterCalls[Name]['args'],
  onProgress?: CommitProgress,
) => Promise<WriterCalls[Name]['result']>;

/** Messages to the writer's thread. */
export interface OperatorRequest {
  readonly ticket: number;
  readonly name: WriterCallName;
  readonly args: unknown;
}

/** Messages from the writer. */
export type OperatorReply =
  | { readonly kind: 'progress'; readonly ticket: number; readonly flagsDone: number }
  | { readonly kind: 'done'; readonly ticket: number; readonly result: unknown }
  /** The call threw: nothing was applied. */
  | { readonly kind: 'failed'; readonly ticket: number; readonly message: string };

interface Waiting {
  readonly onProgress: CommitProgress | undefined;
  resolve(result: unknown): void;
  reject(fault: Error): void;
}

/** The writer in another thread. Calls that are open when its port closes fail. */
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
      // The writer answers a call with the result that belongs to its name: see `WriterCalls`.
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
