import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncDirectory } from '../../storage/store-directory.ts';
import { CommandFailure } from '../command-failure.ts';

const chunkChars = 64 * 1024;

/** Writes to standard output as fast as it is taken, and leaves it open. @returns bytes. */
export function writeToOutput(pieces: Iterable<string>, timeLimitMs: number): Promise<number> {
  return writePieces(pieces, process.stdout, timeLimitMs, false);
}

/**
 * Only when the stream is ended is everything in it when this returns.
 * @returns bytes. @throws {CommandFailure} when it takes too long, Error when the stream fails.
 */
async function writePieces(
  pieces: Iterable<string>,
  stream: Writable,
  timeLimitMs: number,
  end: boolean,
): Promise<number> {
  let bytes = 0;
  const counted = function* (): Generator<string> {
    for (const chunk of joined(pieces)) {
      bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  };
  const signal = AbortSignal.timeout(timeLimitMs);
  try {
    await pipeline(Readable.from(counted()), stream, { signal, end });
    return bytes;
  } catch (fault) {
    if (!signal.aborted) throw fault;
    throw new CommandFailure(
      `The export took longer than ${timeLimitMs / 1000} s and was given up, because its snapshot makes the data file ` +
        'grow. Write to a file with --output, or give it more time with --time-limit.',
    );
  }
}

/** Writes a file that is whole or not there; one of its name is replaced. @returns bytes. */
export async function writeFilePieces(
  pieces: Iterable<string>,
  file: string,
  timeLimitMs: number,
): Promise<number> {
  const path = resolve(file);
  const temporary = `${path}.partial`;
  const stream = createWriteStream(temporary, { mode: 0o600, flush: true });
  const closed = new Promise<void>((done) => stream.once('close', () => done()));
  try {
    const bytes = await writePieces(pieces, stream, timeLimitMs, true);
    renameSync(temporary, path);
    syncDirectory(dirname(path));
    return bytes;
  } catch (fault) {
    // A stream that fails before its file is opened still makes it.
    await closed;
    rmSync(temporary, { force: true });
    throw fault;
  }
}

/** Fewer, larger texts. */
function* joined(pieces: Iterable<string>): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkChars) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
