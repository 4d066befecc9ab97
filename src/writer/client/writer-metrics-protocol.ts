import { eventLoopDelay } from '../../observability/event-loop.ts';
import { counter, durationBounds, gauge, histogram, layOut } from '../../observability/metric.ts';

/** The source of a commit's changes: requests, an operator, or only usage counts and mails. */
export const commitSources = ['api', 'operator', 'usage'] as const;
export type CommitSource = (typeof commitSources)[number];

const sourceSeries = commitSources.map((source) => ({ source }));

/** Written by the writer's thread only. Gauges are filled when it receives `measure`. */
export const writerMetrics = layOut({
  groupSize: histogram(
    'burgee_writer_group_size',
    'Commands in a group commit.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  ),
  commitDuration: histogram(
    'burgee_writer_commit_duration_seconds',
    "Time to decide a transaction and to commit it to the disk. Only transactions that changed something, and all of an operator's.",
    durationBounds,
    sourceSeries,
  ),
  failedCommits: counter(
    'burgee_writer_failed_commits_total',
    'Transactions that the store refused; none of their changes was applied.',
    sourceSeries,
  ),
  quotaRefusals: counter(
    'burgee_write_quota_refusals_total',
    'Changes that got 429 because their organisation had used up its quota of the day.',
  ),
  storeFileBytes: gauge('burgee_store_file_bytes', 'Size of the data file.'),
  storeUsedBytes: gauge(
    'burgee_store_used_bytes',
    'Size of the data file up to the last page that was ever used. Free pages below it are reused.',
  ),
  storeMapBytes: gauge('burgee_store_map_bytes', 'Largest size of the data file.'),
  storeReaders: gauge('burgee_store_readers', 'Snapshots of the store that are open, in any process.'),
  storeOldestReader: gauge(
    'burgee_store_oldest_reader_lag_commits',
    'Commits since the oldest open snapshot was taken: while it stays open, the file grows with every change.',
  ),
  storageFreeBytes: gauge(
    'burgee_storage_free_bytes',
    'Free space on the file system of the data directory.',
  ),
  storageReserveBytes: gauge('burgee_storage_reserve_bytes', 'Free space below which changes are refused.'),
  outboxDepth: gauge('burgee_outbox_depth', 'Mails that wait in the outbox.'),
  loopDelay: eventLoopDelay('writer'),
});
