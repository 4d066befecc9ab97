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
import { type ExportScope, exportDocument } from './export-document.ts';
import { type ExportFilter, planExport } from './export-plan.ts';

/** Characters that are written at once. */
const chunkChars = 64 * 1024;

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

/** Exports a store from one snapshot, with or without a running server. @throws {CommandFailure | StoreError} */
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
  const scope: ExportScope = { queries, problems, flags: 0 };
  let bytes = 0;
  const chunks = function* (): Generator<string> {
    let text = '';
    for (const part of exportDocument(scope, plan)) {
      text += part;
      if (text.length < chunkChars) continue;
      bytes += Buffer.byteLength(text);
      yield text;
      text = '';
    }
    // Before the end is written: without it the document cannot be parsed, and is not mistaken for an export.
    if (!isSkipping) requireNone(problems);
    bytes += Buffer.byteLength(text);
    yield text;
  };
  if (output === null) await write(chunks(), process.stdout, timeLimitMs, false);
  else await writeFile(chunks(), output, timeLimitMs);
  return { bytes, flags: scope.flags, leftOut: problems.listed, leftOutCount: problems.count };
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

/**
 * Writes no faster than the stream takes it.
 * @param end whether the stream is ended, and everything awaited
 * @throws {CommandFailure} when it takes too long; Error when the stream fails
 */
async function write(
  chunks: Iterable<string>,
  stream: Writable,
  timeLimitMs: number,
  end: boolean,
): Promise<void> {
  const signal = AbortSignal.timeout(timeLimitMs);
  try {
    await pipeline(Readable.from(chunks), stream, { signal, end });
  } catch (fault) {
    if (!signal.aborted) throw fault;
    throw new CommandFailure(
      `The export took longer than ${timeLimitMs / 1000} s and was given up, because its snapshot makes the data file ` +
        'grow. Write to a file with --output, or give it more time with --time-limit.',
    );
  }
}

/** Writes a file that is complete or not there; replaces one of the same name. */
async function writeFile(chunks: Iterable<string>, file: string, timeLimitMs: number): Promise<void> {
  const path = resolve(file);
  const temporary = `${path}.partial`;
  const stream = createWriteStream(temporary, { mode: 0o600, flush: true });
  const closed = new Promise<void>((done) => stream.once('close', () => done()));
  try {
    await write(chunks, stream, timeLimitMs, true);
    renameSync(temporary, path);
    syncDirectory(dirname(path));
  } catch (fault) {
    // A stream that fails before its file is opened still creates the file.
    await closed;
    rmSync(temporary, { force: true });
    throw fault;
  }
}
