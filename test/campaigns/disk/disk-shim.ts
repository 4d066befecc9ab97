import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Lifetime } from '../../support/lifetime.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** The compiler of the shim. */
export const shimTools: readonly string[] = ['cc'];

/**
 * Compiles the shim for one run.
 *
 * @returns the path of the library to preload.
 * @throws Error with the compiler's output
 */
export function buildDiskShim(t: Lifetime): string {
  const source = join(repositoryRoot(), 'test', 'campaigns', 'disk', 'disk-shim.c');
  const library = join(temporaryDirectory(t), 'disk-shim.so');
  const { status, stderr } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the disk shim does not compile: ${stderr}`);
  return library;
}

export interface DiskFault {
  /** `before`: fails without doing anything; `after`: does the work and reports a failure; `short`: writes half. */
  readonly action: 'before' | 'after' | 'short';
  readonly error: 'EIO' | 'ENOSPC';
  readonly kinds: readonly ('write' | 'sync')[];
  /** Calls that pass first. */
  readonly passes: number;
  /** Calls that then fail; -1: all. */
  readonly failures: number;
}

const controlBytes = 32;
const actions = { before: 1, after: 2, short: 3 } as const;
const kindBits = { write: 1 << 1, sync: 1 << 2 } as const;
const seenAt = 5 * 4;
const failedAt = 6 * 4;
const freeKibAt = 7 * 4;

/** Controls how the disk below one file behaves for one process. */
export class DiskControl {
  readonly path: string;
  readonly #descriptor: number;

  constructor(t: Lifetime) {
    this.path = join(temporaryDirectory(t), 'control');
    const bytes = Buffer.alloc(controlBytes);
    bytes.writeInt32LE(-1, freeKibAt);
    writeFileSync(this.path, bytes);
    this.#descriptor = openSync(this.path, 'r+');
    t.teardown(() => closeSync(this.#descriptor));
  }

  /** Counts calls from now on. */
  fail({ action, error, kinds, passes, failures }: DiskFault): void {
    this.heal();
    const fields = [
      constants.errno[error],
      kinds.reduce((bits, kind) => bits | kindBits[kind], 0),
      passes,
      failures,
      0,
      0,
    ];
    for (const [index, field] of fields.entries()) this.#write((index + 1) * 4, field);
    this.#write(0, actions[action]);
  }

  heal(): void {
    this.#write(0, 0);
  }

  /** @param bytes the free space that the file system reports; null: the true value */
  claimFree(bytes: number | null): void {
    this.#write(freeKibAt, bytes === null ? -1 : Math.floor(bytes / 1024));
  }

  /** Calls of the failing kinds since `fail`, and how many of them failed. */
  counts(): { readonly seen: number; readonly failed: number } {
    return { seen: this.#read(seenAt), failed: this.#read(failedAt) };
  }

  #write(position: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    writeSync(this.#descriptor, bytes, 0, 4, position);
  }

  #read(position: number): number {
    const bytes = Buffer.alloc(4);
    readSync(this.#descriptor, bytes, 0, 4, position);
    return bytes.readInt32LE();
  }
}

export interface ShimOptions {
  readonly library: string;
  /** The absolute path, as the program opens it. */
  readonly file: string;
  readonly control?: DiskControl;
  readonly record?: string;
  /** Simulates LMDB's `noMetaSync`, with which commits are not durable. */
  readonly hasMetaSync?: boolean;
}

/** @returns the environment that makes a process use the shim. */
export function shimEnvironment(options: ShimOptions): Readonly<Record<string, string>> {
  const { library, file, control, record, hasMetaSync = true } = options;
  return {
    LD_PRELOAD: library,
    DISK_FILE: file,
    ...(control === undefined ? {} : { DISK_CONTROL: control.path }),
    ...(record === undefined ? {} : { DISK_RECORD: record }),
    ...(hasMetaSync ? {} : { DISK_NO_META_SYNC: '1' }),
  };
}

/** The writes and syncs of the file, in order. The program itself adds marks. */
export type DiskEvent =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Buffer; readonly isSynced: boolean }
  | { readonly kind: 'sync' }
  | { readonly kind: 'truncate'; readonly length: number }
  | { readonly kind: 'mark'; readonly text: string };

const recordBytes = 24;
const kindNumbers = { write: 1, sync: 2, truncate: 3, mark: 4 } as const;

/** Appends a mark to a record: everything before it was done earlier. */
export function markDisk(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(recordBytes);
  head.writeUInt32LE(kindNumbers.mark, 0);
  head.writeBigUInt64LE(BigInt(bytes.length), 16);
  writeSync(descriptor, Buffer.concat([head, bytes]));
}

export function readDiskRecord(path: string): DiskEvent[] {
  const file = readFileSync(path);
  const events: DiskEvent[] = [];
  for (let at = 0; at < file.length; ) {
    const kind = file.readUInt32LE(at);
    const isSynced = file.readUInt32LE(at + 4) !== 0;
    const offset = Number(file.readBigUInt64LE(at + 8));
    const length = Number(file.readBigUInt64LE(at + 16));
    at += recordBytes;
    const bytes = file.subarray(at, at + length);
    if (kind === kindNumbers.write) events.push({ kind: 'write', offset, bytes, isSynced });
    else if (kind === kindNumbers.sync) events.push({ kind: 'sync' });
    else if (kind === kindNumbers.truncate) events.push({ kind: 'truncate', length: offset });
    else if (kind === kindNumbers.mark) events.push({ kind: 'mark', text: bytes.toString() });
    else throw new Error(`${path} holds an unknown record at ${at - recordBytes}`);
    if (kind === kindNumbers.write || kind === kindNumbers.mark) at += length;
  }
  return events;
}
