import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../support/burgee-command.ts';

export const holdVariable = 'HOLD_THREADS_WHILE';
export const heldSuffix = '-held';

/** Blocks threads of a server (`hold-preload.ts`). */
export class Hold {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The environment to start the server with. */
  get settings(): Settings {
    const preload = new URL('./hold-preload.js', import.meta.url);
    return { [holdVariable]: this.#directory, NODE_OPTIONS: `--import=${preload.href}` };
  }

  begin(name: 'start' | 'writer' | 'worker'): void {
    writeFileSync(join(this.#directory, name), '');
  }

  /** @returns once a thread is blocked */
  async isHeld(name: string): Promise<void> {
    while (!existsSync(join(this.#directory, `${name}${heldSuffix}`))) await delay(10);
  }

  end(name: string): void {
    rmSync(join(this.#directory, name));
  }
}
