import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atExit } from '../servers/at-exit.ts';
import { keepEnd } from '../servers/keep-end.ts';

const program = fileURLToPath(new URL('./sync-streams-process.js', import.meta.url));

/** Number of changes that `change` makes. */
export const changesOfRound = 20;

/** Open streams, of sync or of flagd's providers. */
export interface HeldStreams {
  readonly origin: string;
  readonly count: number;
  readonly project: string;
  /** The port for flagd's providers, which then open the streams, each over its own connection. Null: streams of sync. */
  readonly flagdPort: number | null;
  /** A token of the project with permission write. */
  readonly token: string;
  /** The flag that is changed. */
  readonly flag: string;
}

/** How long changes took from their acknowledgement to the streams, in milliseconds. */
export interface ReachedStreams {
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Until the last stream had a change, p99 of the changes. */
  readonly allMs: number;
}

/** A message of the process that holds the streams. */
export type StreamsMessage = { readonly kind: 'open' } | ({ readonly kind: 'changed' } & ReachedStreams);

export interface OpenStreams {
  /** Changes the flag `changesOfRound` times. */
  change(): Promise<ReachedStreams>;
  end(): Promise<void>;
}

/** Opens streams, and resolves when each has its snapshot. */
export async function openStreams(held: HeldStreams): Promise<OpenStreams> {
  const child = fork(program, [JSON.stringify(held)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const errors = child.stderr === null ? () => '' : keepEnd(child.stderr);
  const outlived = atExit(() => child.kill('SIGKILL'));
  const closed = once(child, 'close').finally(outlived);
  const lost = closed.then(() => {
    throw new Error(`${held.count} streams of ${held.origin} could not be held: ${errors().trim()}`);
  });
  lost.catch(() => undefined);
  await Promise.race([hear(child, 'open'), lost]);
  return {
    change: () => {
      child.send('change');
      return Promise.race([hear(child, 'changed'), lost]);
    },
    end: async () => {
      if (child.connected) child.send('end');
      await closed;
    },
  };
}

async function hear<Kind extends StreamsMessage['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<StreamsMessage & { readonly kind: Kind }> {
  const [message] = (await once(child, 'message')) as [StreamsMessage];
  if (message.kind !== kind)
    throw new Error(`the process with the streams sent ${message.kind}, not ${kind}`);
  return message as StreamsMessage & { readonly kind: Kind };
}
