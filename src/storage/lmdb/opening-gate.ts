import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { tryLock, unlock } from 'fs-native-extensions';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { DataFileHeldError, StoreError } from '../store-error.ts';
import { keepLockFile } from './lock-file.ts';

/*
 * A process that opens an LMDB file reads which commit is the newest, and a moment later writes that number to the memory that
 * all processes share, from which the next write transaction begins. A commit between the two would be taken back, and
 * the pages of the file confused (gotchas). So nobody commits while another process opens the file.
 *
 * Two bytes of the data file are locked for that, far behind its end: they are nobody's content, and the locks end with
 * the process that holds them. Openers share both. The first one says that somebody wants to open, the second is held
 * while it is done; the writer keeps the second while it writes, and stands back while the first one is taken.
 *
 * The writer keeps a third byte for as long as it has the file open. So a file has one writer, under any name and in
 * any directory: LMDB's own locks are on a file beside it, and two of those do not know of each other.
 */
export const wantedByte = 2 ** 50;
export const gateByte = wantedByte + 1;
const writerByte = wantedByte + 2;

/** The writer waits so long for an opener: it takes less than a millisecond of work. */
const openerMsMax = 2_000;
/** And so long once it has waited in vain: what is queued behind must not wait one after another. */
const heldOpenerMsMax = 20;
/** An opener waits so long for the transaction that is open: an `apply` of a million flags, or a migration. */
const transactionMsMax = 60_000;
/** And who only looks whether somebody writes, so long. */
const lookMsMax = 100;
const pauseMs = 1;

/** The writer's side, and its right to be the only one. One transaction at a time. */
export class WritersGate {
  readonly #path: string;
  readonly #descriptor: number;
  #isHeld = false;
  #isClosed = false;

  /**
   * Makes an empty file where there is none: a second writer must find something to be refused at.
   * @throws StoreError when another process writes to the file; Error of node:fs when it cannot be opened
   */
  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'a+', 0o600);
    if (waitUntil(() => tryLock(this.#descriptor, writerByte, 1), lookMsMax)) return;
    this.close();
    throw new StoreError(writtenMessage(path));
  }

  /** @returns whether the file that is claimed lies at the path. @throws Error of node:fs when none does */
  isInPlace(): boolean {
    const claimed = fstatSync(this.#descriptor, { bigint: true });
    const { dev, ino } = statSync(this.#path, { bigint: true });
    return dev === claimed.dev && ino === claimed.ino;
  }

  /** Once lmdb has opened the file. @throws StoreError when somebody reads it with another lock file of lmdb's */
  keepLockFile(directory: string): void {
    keepLockFile(this.#descriptor, directory);
  }

  /** Only for a data file that never held a record, and before it is opened. */
  empty(): void {
    ftruncateSync(this.#descriptor);
  }

  /** Costs some 4 µs while nobody opens. @throws DataFileHeldError when somebody has been opening for 2 s */
  within<T>(run: () => T): T {
    this.#enter();
    try {
      return run();
    } finally {
      unlock(this.#descriptor, gateByte, 1);
    }
  }

  /** Can be called again without effect. */
  close(): void {
    if (!this.#isClosed) closeSync(this.#descriptor);
    this.#isClosed = true;
  }

  #enter(): void {
    if (this.#isClosed) throw new Error('The store is closed');
    this.#isHeld = !waitUntil(() => this.#tryEnter(), this.#isHeld ? heldOpenerMsMax : openerMsMax);
    if (this.#isHeld) throw new DataFileHeldError(this.#path);
  }

  #tryEnter(): boolean {
    if (!tryLock(this.#descriptor, gateByte, 1)) return false;
    if (tryLock(this.#descriptor, wantedByte, 1)) {
      unlock(this.#descriptor, wantedByte, 1);
      return true;
    }
    unlock(this.#descriptor, gateByte, 1);
    return false;
  }
}

/**
 * Opens the file while nobody writes to it. Not within a write transaction of the same process.
 * @throws StoreError when a transaction goes on for a minute; Error of node:fs; what `open` throws
 */
export function openThroughGate<Opened>(path: string, open: () => Opened): Opened {
  const descriptor = openSync(path, 'r');
  const take = (byte: number) => () => tryLock(descriptor, byte, 1, { shared: true });
  try {
    const isFree =
      waitUntil(take(wantedByte), transactionMsMax) && waitUntil(take(gateByte), transactionMsMax);
    if (!isFree) throw new StoreError(busyMessage(path));
    return open();
  } finally {
    // The locks end with it.
    closeSync(descriptor);
  }
}

/**
 * Of a look at one moment: only a `WritersGate` holds what it finds free.
 * @throws StoreError when a process writes to the file; Error of node:fs when it is there and cannot be opened
 */
export function requireUnwritten(path: string): void {
  if (!existsSync(path)) return;
  const descriptor = openSync(path, 'r');
  try {
    // Shared: two that look do not take each other for a writer.
    if (!tryLock(descriptor, writerByte, 1, { shared: true })) throw new StoreError(writtenMessage(path));
  } finally {
    closeSync(descriptor);
  }
}

function writtenMessage(path: string): string {
  return (
    `${path} is in use by another process, which has claimed it under another name, or whose claim file was removed. ` +
    'Stop that process first, or choose another directory with --data-dir. A copy of the data is made with `burgee backup`.'
  );
}

function busyMessage(path: string): string {
  return (
    `${path} has been written to by one transaction for ${transactionMsMax / 1000} s, and cannot be opened beside it. ` +
    'Wait until the large `apply` or the migration that does so has ended, and try again.'
  );
}

function waitUntil(isDone: () => boolean, msMax: number): boolean {
  const end = monotonicMs() + msMax;
  while (!isDone()) {
    if (monotonicMs() > end) return false;
    Atomics.wait(nobody, 0, 0, pauseMs);
  }
  return true;
}

const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
