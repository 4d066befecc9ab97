import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atExit } from '../servers/at-exit.ts';
import { keepEnd } from '../servers/keep-end.ts';

const program = fileURLToPath(new URL('./idle-connections-process.js', import.meta.url));

/** Connections that are open and mostly silent. */
export interface IdleConnections {
  readonly origin: string;
  readonly count: number;
  /** How often each requests `/health`: servers close silent connections, Burgee after 8 to 12 seconds. */
  readonly askEveryMs: number;
}

export interface IdleTally {
  /** Connections that the server has closed. */
  readonly closed: number;
}

/** A message of the process that holds the connections. */
export type IdleMessage = { readonly kind: 'open' } | ({ readonly kind: 'tally' } & IdleTally);

interface HeldConnections {
  tally(): Promise<IdleTally>;
  end(): Promise<void>;
}

/**
 * Runs a function while connections are open and idle.
 *
 * @throws Error when the connections cannot be opened, or the server closes any meanwhile
 */
export async function whileIdle<Result>(idle: IdleConnections, run: () => Promise<Result>): Promise<Result> {
  const held = await hold(idle);
  try {
    const result = await run();
    const { closed } = await held.tally();
    if (closed > 0) throw new Error(`${closed} of ${idle.count} idle connections were closed by the server`);
    return result;
  } finally {
    await held.end();
  }
}

async function hold(idle: IdleConnections): Promise<HeldConnections> {
  const child = fork(program, [JSON.stringify(idle)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const errors = child.stderr === null ? () => '' : keepEnd(child.stderr);
  const outlived = atExit(() => child.kill('SIGKILL'));
  const closed = once(child, 'close').finally(outlived);
  const lost = closed.then(() => {
    throw new Error(`${idle.count} idle connections to ${idle.origin} could not be held: ${errors().trim()}`);
  });
  lost.catch(() => undefined);
  await Promise.race([hear(child, 'open'), lost]);
  return {
    tally: () => {
      child.send('tally');
      return Promise.race([hear(child, 'tally'), lost]);
    },
    end: async () => {
      if (child.connected) child.send('end');
      await closed;
    },
  };
}

async function hear<Kind extends IdleMessage['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<IdleMessage & { readonly kind: Kind }> {
  const [message] = (await once(child, 'message')) as [IdleMessage];
  if (message.kind !== kind)
    throw new Error(`the process with the connections sent ${message.kind}, not ${kind}`);
  return message as IdleMessage & { readonly kind: Kind };
}
