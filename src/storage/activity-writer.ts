import { activityRowsMax, type Denial } from '../domain/token/denial.ts';
import { ownedSequenceKey, rangeOf, sequenceOf } from './keys.ts';
import { activityRecord } from './records/activity-record.ts';
import type { WriteTarget } from './write-target.ts';

/** Appends a row to its token's activity and drops what is older than the newest `activityRowsMax`. */
export function writeActivity(target: WriteTarget, denial: Denial): void {
  const { tokenId } = denial;
  const sequence = lastSequenceOf(target, tokenId) + 1;
  target.put(activityRecord, ownedSequenceKey(tokenId, sequence), denial);
  const firstKept = Math.max(0, sequence - activityRowsMax + 1);
  target.removeRange('activity', {
    start: ownedSequenceKey(tokenId, 0),
    end: ownedSequenceKey(tokenId, firstKept),
  });
}

function lastSequenceOf(target: WriteTarget, tokenId: string): number {
  for (const key of target.source.keys('activity', { ...rangeOf(tokenId), isReversed: true, limit: 1 })) {
    return sequenceOf(key);
  }
  return 0;
}
