import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const socketName = 'burgee.sock';
/** In the data directory, where the socket is elsewhere: names it, and the directory itself. A copy has another inode. */
const pointerName = 'burgee.sock.path';
const temporaryPrefix = 'burgee-';

/** What fits `sockaddr_un`, without its final NUL. Node 20 cuts a longer path without a word. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= socketPathBytesMax;
}

/**
 * Decides where the server of a data directory listens, after removing what a server that was killed has left. A path
 * that is too long is replaced by one in a fresh directory of the system's temporary folder, mode 0700.
 *
 * The caller holds the claim on the directory: nothing that is found belongs to a living process.
 */
export function prepareSocketPlace(directory: string): string {
  removeSocketPlace(directory);
  const path = join(directory, socketName);
  if (fits(path)) return path;
  const substitute = join(mkdtempSync(join(tmpdir(), temporaryPrefix)), socketName);
  if (!fits(substitute)) {
    rmdirSync(dirname(substitute));
    throw new Error(
      `The path of the system's temporary folder, ${tmpdir()}, is too long for a socket: set TMPDIR`,
    );
  }
  const pointer = join(directory, pointerName);
  writeFileSync(`${pointer}.new`, `${substitute}\n${nameOf(directory)}\n`, { mode: 0o600 });
  renameSync(`${pointer}.new`, pointer);
  return substitute;
}

/** Lets only the owner connect. Right after listening, before any connection is accepted. */
export function closeToOthers(socketPath: string): void {
  chmodSync(socketPath, 0o600);
}

/** @returns where the socket of a running server would be. It may be a dead server's, or not be there. */
export function findSocketPlace(directory: string): string {
  return readPointer(directory)?.path ?? join(directory, socketName);
}

/**
 * Removes the socket, wherever it is, with the directory that was made for it. The caller holds the claim. What the copy
 * of a served directory points to belongs to the server of the original.
 */
export function removeSocketPlace(directory: string): void {
  const pointer = readPointer(directory);
  if (pointer !== null && pointer.directory === nameOf(directory) && isOurSubstitute(pointer.path)) {
    removeSocket(pointer.path);
    ignoring(['ENOENT', 'ENOTEMPTY'], () => rmdirSync(dirname(pointer.path)));
  }
  ignoring(['ENOENT'], () => unlinkSync(join(directory, pointerName)));
  removeSocket(join(directory, socketName));
}

interface Pointer {
  readonly path: string;
  /** Whose socket it is: its `nameOf`. */
  readonly directory: string;
}

function readPointer(directory: string): Pointer | null {
  const text = ignoring(['ENOENT'], () => readFileSync(join(directory, pointerName), 'utf8'));
  if (text === undefined) return null;
  const [path = '', name = ''] = text.split('\n');
  return { path, directory: name };
}

/** The same wherever the directory is moved to, and another one for each copy. */
function nameOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true });
  return `${dev}:${ino}`;
}

/** Whatever else a pointer might name is left alone. */
function isOurSubstitute(path: string): boolean {
  return basename(path) === socketName && basename(dirname(path)).startsWith(temporaryPrefix);
}

function removeSocket(path: string): void {
  ignoring(['ENOENT'], () => {
    if (lstatSync(path).isSocket()) unlinkSync(path);
  });
}

function ignoring<Result>(codes: readonly string[], run: () => Result): Result | undefined {
  try {
    return run();
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && codes.includes(String(fault.code))) return undefined;
    throw fault;
  }
}
