import type { MessagePort } from 'node:worker_threads';
import type { OperatorCommands } from './operator-commands.ts';
import type { CommitProgress, OperatorCallName, OperatorCalls, OperatorReply, OperatorRequest, OperatorWriterPort } from './operator-port-protocol.ts';

interface Waiting {
  readonly onProgress: CommitProgress | undefined;
  resolve(result: unknown): void;
  reject(fault: Error): void;
}

/** The writer across threads. When its port closes, what was asked of it fails. */
export function remoteOperatorPort(port: MessagePort): OperatorWriterPort {
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

  const call = <Name extends OperatorCallName>(
    name: Name,
    args: OperatorCalls[Name]['args'],
    onProgress?: CommitProgress,
  ): Promise<OperatorCalls[Name]['result']> => {
    if (isClosed) return Promise.reject(writerGone());
    const ticket = nextTicket++;
    return new Promise((resolve, reject) => {
      // The writer answers a call with the result of its own name: see `OperatorCalls`.
      const settle = (result: unknown): void => resolve(result as OperatorCalls[Name]['result']);
      waiting.set(ticket, { onProgress, resolve: settle, reject });
      port.postMessage({ ticket, name, args } as OperatorRequest);
    });
  };
  return {
    passwordHashes: (args) => call('passwordHashes', args),
    stage: (args) => call('stage', args),
    commit: (args, onProgress) => call('commit', args, onProgress),
    discard: (args) => call('discard', args),
    setPlan: (args) => call('setPlan', args),
    makeSignInLink: (args) => call('makeSignInLink', args),
    revokeToken: (args) => call('revokeToken', args),
  };
}

function writerGone(): Error {
  return new Error('the writer has ended; whether the change was applied is unknown');
}

/** The writer in this very thread: a command that holds the data directory itself. */
export function localOperatorPort(commands: OperatorCommands): OperatorWriterPort {
  return {
    passwordHashes: async (args) => commands.passwordHashes(args),
    stage: async (args) => commands.stage(args),
    commit: async (args, onProgress = () => undefined) => commands.commit(args, onProgress),
    discard: async () => commands.discard(),
    setPlan: async (args) => commands.setPlan(args),
    makeSignInLink: async (args) => commands.makeSignInLink(args),
    revokeToken: async (args) => commands.revokeToken(args),
  };
}
