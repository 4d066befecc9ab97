import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { processEntries } from '../entry-files.ts';
import type { StoreIdentity } from '../storage/tables/meta.ts';
import type { CopyLine } from './backup-copy.ts';
import { CommandFailure, DamageFound } from './command-failure.ts';
import { isEndByDamage } from './walk-store.ts';

const copyFile = fileURLToPath(processEntries.backupCopy);
const lookIntervalMs = 100;

export interface CopyOptions {
  readonly directory: string;
  /** Where the data file is copied to. There must be no file of that name. */
  readonly file: string;
  /** The copy is given up after this time, because its snapshot keeps the server from reusing freed pages. */
  readonly timeLimitMs: number;
  readonly onProgress: (bytesDone: number, bytes: number) => void;
}

/**
 * Copies a store's data file from one snapshot, in a process of its own.
 * @returns the identity of the store. @throws {CommandFailure}
 */
export async function copyDataFile(options: CopyOptions): Promise<StoreIdentity> {
  const { directory, file, timeLimitMs } = options;
  const child = spawn(process.execPath, [copyFile, directory, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const copy = new CopyWatch(options, (failure) => {
    copy.failure ??= new CommandFailure(failure);
    child.kill('SIGKILL');
  });
  const ended = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => copy.read(line));
  const looks = setInterval(() => copy.look(), lookIntervalMs);
  const limit = setTimeout(() => copy.giveUp(timeLimitMs), timeLimitMs);
  // The child may end before this process closes its input.
  child.stdin.on('error', () => undefined);
  try {
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    return copy.result(signal ?? `exit ${code}`);
  } finally {
    clearInterval(looks);
    clearTimeout(limit);
  }
}

/** The state of a copy in progress. */
class CopyWatch {
  failure: CommandFailure | null = null;
  readonly #options: CopyOptions;
  readonly #stop: (failure: string) => void;
  #plan: Extract<CopyLine, { kind: 'plan' }> | null = null;
  #isCopied = false;

  constructor(options: CopyOptions, stop: (failure: string) => void) {
    this.#options = options;
    this.#stop = stop;
  }

  read(line: string): void {
    const message = parseLine(line);
    if (message === null) return;
    if (message.kind === 'copied') this.#isCopied = true;
    else if (message.kind === 'failed') {
      this.failure ??= new (message.isDamage ? DamageFound : CommandFailure)(message.message);
    } else this.#begin(message);
  }

  look(): void {
    if (this.#plan === null) return;
    const done = statSync(this.#options.file, { throwIfNoEntry: false })?.size ?? 0;
    this.#options.onProgress(done, this.#plan.bytes);
  }

  giveUp(timeLimitMs: number): void {
    this.#stop(
      `The copy took longer than ${timeLimitMs / 1000} s and was given up, because its snapshot makes the data file grow. ` +
        'Copy to a faster disk, or give it more time with --time-limit.',
    );
  }

  /** @param end how the process ended. */
  result(end: string): StoreIdentity {
    if (this.failure !== null) throw this.failure;
    if (this.#isCopied && this.#plan !== null) return this.#plan.identity;
    const early = `The copy ended too early (${end}).`;
    if (isEndByDamage(end)) throw new DamageFound(`${early} The store is damaged: run \`burgee check\`.`);
    throw new CommandFailure(`${early} This says nothing about the store: run the command again.`);
  }

  #begin(plan: Extract<CopyLine, { kind: 'plan' }>): void {
    this.#plan = plan;
    const { bavail, bsize } = statfsSync(dirname(this.#options.file));
    const free = bavail * bsize;
    if (free >= plan.bytes) return;
    const [needed, available] = [plan.bytes, free].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MiB`);
    this.#stop(
      `The copy needs ${needed}, but only ${available} are free. Make room, or copy to another disk.`,
    );
  }
}

/** A process that is killed in the middle of a line leaves half of one, which is ignored. */
function parseLine(line: string): CopyLine | null {
  try {
    return JSON.parse(line) as CopyLine;
  } catch {
    return null;
  }
}
