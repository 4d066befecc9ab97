import { eventLoopDelay } from '../../observability/event-loop.ts';
import { counter, durationBounds, gauge, histogram, layOut } from '../../observability/metric.ts';

/** Whose changes a commit holds: those of requests, an operator's, or only what was counted and what was mailed. */
export const commitSources = ['api', 'operator', 'usage'] as const;
export type CommitSource = (typeof commitSources)[number];

const sourceSeries = commitSources.map((source) => ({ source }));

/** Written by the writer's thread alone. The gauges are filled when `measure` is asked of it. */
export const writerMetrics = layOut({
  groupSize: histogram(
    'burgee_writer_group_size',
    'Commands that shared a transaction.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  ),
  commitDuration: histogram(
    'burgee_writer_commit_duration_seconds',
    "Transactions that changed something, or were an operator's, and how long each took: its decisions and the way to the disk.",
    durationBounds,
    sourceSeries,
  ),
  failedCommits: counter(
    'burgee_writer_failed_commits_total',
    'Transactions that the store refused; nothing of them was kept.',
    sourceSeries,
  ),
  quotaRefusals: counter(
    'burgee_write_quota_refusals_total',
    'Changes that were answered 429 because their organisation had written its quota of the day.',
  ),
  storeFileBytes: gauge('burgee_store_file_bytes', 'Size of the data file.'),
  storeUsedBytes: gauge(
    'burgee_store_used_bytes',
    'Of the data file up to the last page that was ever used; free pages in between are used again.',
  ),
  storeMapBytes: gauge('burgee_store_map_bytes', 'Size that the data file may grow to.'),
  storeReaders: gauge('burgee_store_readers', 'Snapshots of the store that are open, in any process.'),
  storeOldestReader: gauge(
    'burgee_store_oldest_reader_lag_commits',
    'Commits since the oldest open snapshot: while it stays open, the file grows with every change.',
  ),
  storageFreeBytes: gauge(
    'burgee_storage_free_bytes',
    'Free space on the file system of the data directory.',
  ),
  storageReserveBytes: gauge('burgee_storage_reserve_bytes', 'Free space below which changes are refused.'),
  outboxDepth: gauge('burgee_outbox_depth', 'Mails that wait to be sent.'),
  loopDelay: eventLoopDelay('writer'),
});
