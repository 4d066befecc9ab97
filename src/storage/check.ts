import { checkAudiences } from './check/check-audiences.ts';
import { checkAudit } from './check/check-audit.ts';
import { checkBackup } from './check/check-backup.ts';
import { checkChangeLog } from './check/check-change-log.ts';
import { checkDenials } from './check/check-denials.ts';
import { checkDirectory } from './check/check-directory.ts';
import { checkEvaluationCounts } from './check/check-evaluation-counts.ts';
import { checkFlags } from './check/check-flags.ts';
import { checkKeptAnswers } from './check/check-kept-answers.ts';
import { checkMeta } from './check/check-meta.ts';
import { checkPagesInUse } from './check/check-pages-in-use.ts';
import { checkSessions } from './check/check-sessions.ts';
import { checkTokens } from './check/check-tokens.ts';
import type { Finding } from './check/finding.ts';
import { StoreWalk } from './check/store-walk.ts';
import { readingMapBytesOf } from './environment.ts';
import type { DatabaseName } from './keys.ts';
import { RecordSource } from './record-source.ts';
import { Snapshots } from './snapshots.ts';
import { type OpenedStore, openForReading } from './store-opening.ts';

export type { Finding } from './check/finding.ts';

/** How many entries of each database were walked. */
export type CheckCounts = ReadonlyMap<DatabaseName, number>;

const checks = [
  checkMeta,
  checkDirectory,
  checkSessions,
  checkFlags,
  checkAudiences,
  checkTokens,
  checkAudit,
  checkChangeLog,
  checkDenials,
  checkKeptAnswers,
  checkEvaluationCounts,
];

/**
 * Walks every page in use, every record and every index entry of a store, offline or beside a running server; yields what
 * does not hold as it is found, and returns what was walked.
 *
 * Run it in a process of its own: a damaged page can end the process that reads it. Consume it before awaiting anything.
 * @throws StoreError when there is no store or it cannot be opened, with the first step unless it is a damaged backup.
 */
export function* checkStore(directory: string): Generator<Finding, CheckCounts> {
  yield* checkBackup(directory);
  const opened = openForReading({ directory, mapBytes: readingMapBytesOf(directory) });
  const snapshots = new Snapshots(opened.root);
  try {
    yield* checkPagesInUse(directory, snapshots);
    return yield* checkSnapshot(opened, snapshots);
  } finally {
    snapshots.close();
    // Nothing is under way in it, so this closes before it returns.
    void opened.close();
  }
}

function* checkSnapshot(opened: OpenedStore, snapshots: Snapshots): Generator<Finding, CheckCounts> {
  const walk = new StoreWalk(new RecordSource(opened.tables, snapshots));
  for (const check of checks) yield* check(walk);
  return walk.counts;
}
