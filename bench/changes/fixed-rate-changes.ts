import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChangesMade } from './change-maker.ts';
import type { ChangeableFlag } from './changing-flag.ts';

export type ChangeOrder =
  | { readonly kind: 'open'; readonly origin: string; readonly flags: readonly ChangeableFlag[] }
  | { readonly kind: 'begin'; readonly perSecond: number }
  | { readonly kind: 'end' };
export type ChangeReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'made'; readonly made: ChangesMade }
  | { readonly kind: 'failed'; readonly message: string };

/** Makes changes from its own process, which sleeps until the first order. */
export interface FixedRateChanges {
  /**
   * Makes `perSecond` changes a second while `measure` runs; 0 makes none.
   *
   * @returns the result of `measure`, and the changes that were made and due meanwhile
   * @throws when a change was refused, or changed nothing
   */
  during<Result>(
    perSecond: number,
    measure: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly made: ChangesMade }>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('./change-process.js', import.meta.url));

/** @param flags at least one; they are changed round robin, each to a percentage that it does not have */
export async function startChanges(
  origin: string,
  flags: readonly ChangeableFlag[],
): Promise<FixedRateChanges> {
  const worker = new ChangeWorker();
  await worker.obey({ kind: 'open', origin, flags });
  return {
    during: async (perSecond, measure) => {
      if (perSecond === 0) return { result: await measure(), made: { changes: 0, due: 0 } };
      await worker.obey({ kind: 'begin', perSecond });
      const result = await measure();
      const answer = await worker.obey({ kind: 'end' });
      if (answer.kind !== 'made') throw new Error('the changes were not counted');
      return { result, made: answer.made };
    },
    stop: () => worker.stop(),
  };
}

/** The process that makes changes. It answers one order after another. */
class ChangeWorker {
  readonly #child: ChildProcess = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  readonly #exited = once(this.#child, 'exit');
  #onReply: ((reply: ChangeReply) => void) | null = null;

  constructor() {
    this.#child.on('message', (reply: ChangeReply) => this.#reply(reply));
    const ended = { kind: 'failed', message: 'the process that makes changes has ended' } as const;
    this.#child.on('exit', () => this.#reply(ended));
  }

  /** @throws the failure that the process reports */
  async obey(order: ChangeOrder): Promise<ChangeReply> {
    const reply = await new Promise<ChangeReply>((resolve) => {
      this.#onReply = resolve;
      this.#child.send(order);
    });
    if (reply.kind === 'failed') throw new Error(`changes during a load: ${reply.message}`);
    return reply;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }

  #reply(reply: ChangeReply): void {
    this.#onReply?.(reply);
    this.#onReply = null;
  }
}
