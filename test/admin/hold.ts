import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../support/burgee-command.ts';

export const holdVariable = 'HOLD_THREADS_WHILE';
export const heldSuffix = '-held';

/** Makes threads of a server stand still (`hold-preload.ts`). */
export class Hold {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** What the server is started with. */
  get settings(): Settings {
    const preload = new URL('./hold-preload.js', import.meta.url);
    return { [holdVariable]: this.#directory, NODE_OPTIONS: `--import=${preload.href}` };
  }

  begin(name: 'start' | 'writer' | 'worker'): void {
    writeFileSync(join(this.#directory, name), '');
  }

  /** @returns when a thread stands still */
  async isHeld(name: string): Promise<void> {
    while (!existsSync(join(this.#directory, `${name}${heldSuffix}`))) await delay(10);
  }

  end(name: string): void {
    rmSync(join(this.#directory, name));
  }
}
