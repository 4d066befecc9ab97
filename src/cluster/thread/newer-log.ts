import { recordsFormat } from '../../storage/replica/log-row.ts';
import type { Head } from '../sql/rows.ts';

/** A newer version of Burgee has written what this one cannot read. */
export class NewerLogError extends Error {
  override readonly name = 'NewerLogError';
}

/** @throws NewerLogError unless this version can read the cluster's log and records */
export function requireReadable({ format }: Pick<Head, 'format'>): void {
  if (format <= recordsFormat) return;
  throw new NewerLogError(
    `the cluster's records have format ${format}, and this version reads ${recordsFormat}: start a newer version of burgee`,
  );
}
