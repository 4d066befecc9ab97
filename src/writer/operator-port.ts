import type { MessagePort } from 'node:worker_threads';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { OperatorCommands } from './operator-commands.ts';
import type { CommitProgress, OperatorReply, OperatorRequest } from './operator-port-protocol.ts';

export interface OperatorPortOptions {
  /**
   * After a command that may have changed something is durable, before it is answered.
   * @param begunAt on the monotonic clock
   */
  onCommit(begunAt: number): void;
  /** Again and again while a long transaction runs. */
  onProgress(): void;
  /** A command threw; nothing of it was applied. The caller is told the message. */
  onFault(fault: unknown): void;
}

/** Progress is told so often at most, in flags. */
const flagsPerReport = 2000;

/** Serves the operator's commands that arrive at a port, one after another, on the thread that owns the store. */
export function serveOperatorCommands(
  port: MessagePort,
  commands: OperatorCommands,
  options: OperatorPortOptions,
): void {
  const post = (reply: OperatorReply): void => port.postMessage(reply);
  port.on('message', (request: OperatorRequest) => {
    const { ticket } = request;
    let reported = 0;
    const begunAt = monotonicMs();
    const onProgress: CommitProgress = (flagsDone) => {
      options.onProgress();
      if (flagsDone - reported < flagsPerReport) return;
      reported = flagsDone;
      post({ kind: 'progress', ticket, flagsDone });
    };
    try {
      const result = run(commands, request, onProgress);
      if (isChange(request)) options.onCommit(begunAt);
      post({ kind: 'done', ticket, result });
    } catch (fault) {
      options.onFault(fault);
      post({ kind: 'failed', ticket, message: fault instanceof Error ? fault.message : String(fault) });
    }
  });
}

function run(commands: OperatorCommands, request: OperatorRequest, onProgress: CommitProgress): unknown {
  switch (request.name) {
    case 'passwordHashes':
      return commands.passwordHashes(request.args);
    case 'stage':
      return commands.stage(request.args);
    case 'commit':
      return commands.commit(request.args, onProgress);
    case 'discard':
      return commands.discard();
    case 'setPlan':
      return commands.setPlan(request.args);
    case 'makeSignInLink':
      return commands.makeSignInLink(request.args);
    case 'revokeToken':
      return commands.revokeToken(request.args);
  }
}

function isChange({ name }: OperatorRequest): boolean {
  return name !== 'passwordHashes' && name !== 'stage' && name !== 'discard';
}
