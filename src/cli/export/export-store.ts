import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { readingMapBytesOf } from '../../storage/lmdb/environment.ts';
import { syncDirectory } from '../../storage/store-directory.ts';
import { openStoreReader } from '../../storage/store-reader.ts';
import { CommandFailure } from '../command-failure.ts';
import { exportDocument } from './export-document.ts';
import { type ExportFilter, planExport } from './export-plan.ts';

export interface ExportOptions {
  readonly filter: ExportFilter;
  /** Path of the file; null for standard output. */
  readonly output: string | null;
  /** The export is given up after this time, because its snapshot makes the data file grow with every change. */
  readonly timeLimitMs: number;
  /** Whether things that a file cannot express are left out; otherwise they are a failure. */
  readonly isSkipping: boolean;
}

interface Exported {
  readonly bytes: number;
  readonly flags: number;
  /** The first of the problems. */
  readonly leftOut: readonly string[];
  readonly leftOutCount: number;
}

/** Exports a store from one snapshot, offline or beside a running server. @throws {CommandFailure | StoreError} */
export async function exportStore(directory: string, options: ExportOptions): Promise<Exported> {
  const reader = openStoreReader({ directory, mapBytes: readingMapBytesOf(directory) });
  try {
    const snapshot = reader.pin();
    try {
      return await exportSnapshot(snapshot.queries, options);
    } finally {
      snapshot.release();
    }
  } finally {
    await reader.close();
  }
}

async function exportSnapshot(queries: RecordQueries, options: ExportOptions): Promise<Exported> {
  const { filter, output, timeLimitMs, isSkipping } = options;
  const problems = new ProblemList();
  const plan = planExport(queries, filter, problems);
  const isFiltered = filter.organisation !== null || filter.project !== null;
  const isNothing = plan.organisations.length + plan.personalProjects.length === 0;
  if (isFiltered && isNothing && problems.isEmpty)
    throw new CommandFailure('Nothing in the store has this name or id.');
  let flags = 0;
  const onFlag = (): void => {
    flags += 1;
  };
  const onEnd = (): void => {
    if (!isSkipping) requireNone(problems);
  };
  const pieces = exportDocument({ queries, problems, onFlag, onEnd }, plan);
  const bytes =
    output === null
      ? await writeToOutput(pieces, timeLimitMs)
      : await writeFilePieces(pieces, output, timeLimitMs);
  return { bytes, flags, leftOut: problems.listed, leftOutCount: problems.count };
}

function requireNone(problems: ProblemList): void {
  if (problems.isEmpty) return;
  const { listed, count } = problems;
  throw new CommandFailure(
    'An export identifies things by name, and some things here share a name. Rename all but one of each, ' +
      'or leave them out with --skip-ambiguous:',
    [...listed, ...(count > listed.length ? [`and ${count - listed.length} more`] : [])],
  );
}

const chunkChars = 64 * 1024;

/** Writes to standard output with back-pressure, and leaves it open. @returns bytes. */
function writeToOutput(pieces: Iterable<string>, timeLimitMs: number): Promise<number> {
  return writePieces(pieces, process.stdout, timeLimitMs, false);
}

/**
 * Ends the stream and waits until everything is written.
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

/** Writes a file that is complete or not there; replaces one of the same name. @returns bytes. */
async function writeFilePieces(pieces: Iterable<string>, file: string, timeLimitMs: number): Promise<number> {
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
    // A stream that fails before its file is opened still creates the file.
    await closed;
    rmSync(temporary, { force: true });
    throw fault;
  }
}

/** Joins small pieces into larger ones, for fewer writes. */
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
