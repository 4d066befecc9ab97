import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { tryLock, unlock } from 'fs-native-extensions';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { DataFileHeldError, StoreError } from '../store-error.ts';
import { keepLockFile } from './lock-file.ts';

/* A process that opens an LMDB file reads the number of the newest commit, and a moment later writes it to the
   memory that all processes share, from which the next write transaction begins. A commit in between would be
   undone, and the pages of the file would be corrupted (gotchas). So no process commits while another one opens the
   file.
   
   Two bytes of the data file are locked for that, far behind its end, where there is no content; the locks end with
   the process that holds them. Openers share both. The first byte shows that a process wants to open, the second is
   held while it opens. The writer holds the second byte while it writes, and waits while the first one is taken.
   
   The writer holds a third byte while it has the file open. So a file has one writer, under any name and in any
   directory: LMDB's own locks are on the lock file next to it, and two lock files are independent. */
export const wantedByte = 2 ** 50;
export const gateByte = wantedByte + 1;
const writerByte = wantedByte + 2;

/** How long the writer waits for an opener. Opening takes less than a millisecond of work. */
const openerMsMax = 2_000;
/** How long the writer waits after a wait that timed out: queued commands must not each wait the full time. */
const heldOpenerMsMax = 20;
/** How long an opener waits for an open transaction, such as a large `apply`. */
const transactionMsMax = 60_000;
/** How long a process waits that only checks for a writer. */
const lookMsMax = 100;
const pauseMs = 1;

/** The writer's side, and its right to be the only writer. One transaction at a time. */
export class WritersGate {
  readonly #path: string;
  readonly #descriptor: number;
  #isHeld = false;
  #isClosed = false;

  /**
   * Creates an empty file where there is none, so that a second writer finds a file that refuses it.
   * @throws StoreError when another process writes to the file; Error of node:fs when it cannot be opened
   */
  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'a+', 0o600);
    if (waitUntil(() => tryLock(this.#descriptor, writerByte, 1), lookMsMax)) return;
    this.close();
    throw new StoreError(writtenMessage(path));
  }

  /** @returns whether the claimed file is still at the path. @throws Error of node:fs when there is none */
  isInPlace(): boolean {
    const claimed = fstatSync(this.#descriptor, { bigint: true });
    const { dev, ino } = statSync(this.#path, { bigint: true });
    return dev === claimed.dev && ino === claimed.ino;
  }

  /**
   * Call it when lmdb has opened the file. @throws StoreError when a reader uses another lock file of lmdb's
   */
  keepLockFile(directory: string): void {
    keepLockFile(this.#descriptor, directory);
  }

  /** Only for a data file that never had a record, before it is opened. */
  empty(): void {
    ftruncateSync(this.#descriptor);
  }

  /** Costs some 4 µs while no process opens the file. @throws DataFileHeldError when a process has been opening for 2 s */
  within<T>(run: () => T): T {
    this.#enter();
    try {
      return run();
    } finally {
      unlock(this.#descriptor, gateByte, 1);
    }
  }

  /** As `within`, of a transaction that takes many passes of the event loop. */
  async throughout<T>(run: () => Promise<T>): Promise<T> {
    this.#enter();
    try {
      return await run();
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
 * Opens the file while no process writes to it. Do not call it within a write transaction of the same process.
 * @throws StoreError when a transaction takes longer than a minute; Error of node:fs; what `open` throws
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
    // The locks end with the descriptor.
    closeSync(descriptor);
  }
}

/**
 * Checks at one moment: only a `WritersGate` keeps the file claimed.
 * @throws StoreError when a process writes to the file; Error of node:fs when it exists and cannot be opened
 */
export function requireUnwritten(path: string): void {
  if (!existsSync(path)) return;
  const descriptor = openSync(path, 'r');
  try {
    // Shared, so that two processes that check do not take each other for a writer.
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
    `One transaction has been writing to ${path} for ${transactionMsMax / 1000} s, so it cannot be opened. ` +
    'Wait until that large `apply` has ended, and try again.'
  );
}

function waitUntil(isDone: () => boolean, msMax: number): boolean {
  const end = monotonicMs() + msMax;
  while (!isDone()) {
    if (monotonicMs() > end) return false;
    Atomics.wait(pause, 0, 0, pauseMs);
  }
  return true;
}

/** It is never notified: a wait on it is a pause. */
const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
