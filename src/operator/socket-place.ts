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
/**
 * A file in the data directory when the socket is elsewhere. It has the socket's path and the identity of the
 * directory, because a copy of the directory has another inode.
 */
const pointerName = 'burgee.sock.path';
const temporaryPrefix = 'burgee-';

/** The most bytes in `sockaddr_un`, without the final NUL. Node 20 cuts off a longer path silently. */
const socketPathBytesMax = process.platform === 'darwin' ? 103 : 107;

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= socketPathBytesMax;
}

/**
 * Chooses where the server of a data directory listens, and removes what a killed server has left. If the path is too
 * long, the socket is put into a new directory of the system's temporary folder, mode 0700.
 *
 * The caller holds the claim on the directory, so no living process uses what is found.
 */
export function prepareSocketPlace(directory: string): string {
  removeSocketPlace(directory);
  const path = join(directory, socketName);
  if (fits(path)) return path;
  const substitute = join(mkdtempSync(join(tmpdir(), temporaryPrefix)), socketName);
  if (!fits(substitute)) {
    rmdirSync(dirname(substitute));
    throw new Error(
      `The path of the temporary folder, ${tmpdir()}, is too long for a socket: set TMPDIR to a shorter one`,
    );
  }
  const pointer = join(directory, pointerName);
  writeFileSync(`${pointer}.new`, `${substitute}\n${nameOf(directory)}\n`, { mode: 0o600 });
  renameSync(`${pointer}.new`, pointer);
  return substitute;
}

/** Lets only the owner connect. Call it right after listening, before any connection is accepted. */
export function closeToOthers(socketPath: string): void {
  chmodSync(socketPath, 0o600);
}

/** @returns the path of a running server's socket. The socket may be a dead server's, or absent. */
export function findSocketPlace(directory: string): string {
  return readPointer(directory)?.path ?? join(directory, socketName);
}

/**
 * Removes the socket, and the directory that was made for it. The caller holds the claim. In a copied directory the
 * file names the socket of the original's server, which stays.
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
  /** The identity of the data directory that the socket belongs to, from `nameOf`. */
  readonly directory: string;
}

function readPointer(directory: string): Pointer | null {
  const text = ignoring(['ENOENT'], () => readFileSync(join(directory, pointerName), 'utf8'));
  if (text === undefined) return null;
  const [path = '', name = ''] = text.split('\n');
  return { path, directory: name };
}

/** Stays the same when the directory is moved, and differs for each copy. */
function nameOf(directory: string): string {
  const { dev, ino } = statSync(directory, { bigint: true });
  return `${dev}:${ino}`;
}

/** A pointer to any other path is ignored. */
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
