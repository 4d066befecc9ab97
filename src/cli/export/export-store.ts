import { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { readingMapBytesOf } from '../../storage/lmdb/environment.ts';
import { openStoreReader } from '../../storage/store-reader.ts';
import { CommandFailure } from '../command-failure.ts';
import { exportDocument } from './export-document.ts';
import { type ExportFilter, planExport } from './export-plan.ts';
import { writeFilePieces, writeToOutput } from './write-export.ts';

export interface ExportOptions {
  readonly filter: ExportFilter;
  /** A file; null for standard output. */
  readonly output: string | null;
  /** Its snapshot makes the data file grow with every change: after this long it is given up. */
  readonly timeLimitMs: number;
  /** What a file cannot say is left out; otherwise it is a failure. */
  readonly isSkipping: boolean;
}

export interface Exported {
  readonly bytes: number;
  readonly flags: number;
  /** The first of them. */
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
  if (isFiltered && isNothing && problems.isEmpty) throw new CommandFailure('Nothing has that name or id.');
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
    'A file tells things apart by their names, so this store cannot be exported whole. Rename all but one of each, ' +
      'or leave them out with --skip-ambiguous:',
    [...listed, ...(count > listed.length ? [`and ${count - listed.length} more`] : [])],
  );
}
