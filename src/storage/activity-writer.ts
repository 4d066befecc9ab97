import { activityRowsMax, type Denial } from '../domain/token/denial.ts';
import type { TokenUse } from '../domain/token/token-use.ts';
import { ownedSequenceKey, rangeOf, sequenceOf } from './keys/key-parts.ts';
import { activityRecord } from './records/activity-record.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { tokenUseRecord } from './records/token-use-record.ts';
import type { WriteTarget } from './write-target.ts';

export function writeActivity(target: WriteTarget, denial: Denial): void {
  append(target, activityRecord, denial);
}

export function writeTokenUse(target: WriteTarget, use: TokenUse): void {
  append(target, tokenUseRecord, use);
}

/** Appends a row to its token's and drops what is older than the newest `activityRowsMax`. */
function append<T extends { readonly tokenId: string }>(
  target: WriteTarget,
  codec: RecordCodec<T>,
  row: T,
): void {
  const { tokenId } = row;
  const sequence = lastSequenceOf(target, codec, tokenId) + 1;
  target.put(codec, ownedSequenceKey(tokenId, sequence), row);
  const firstKept = Math.max(0, sequence - activityRowsMax + 1);
  target.removeRange(codec.database, {
    start: ownedSequenceKey(tokenId, 0),
    end: ownedSequenceKey(tokenId, firstKept),
  });
}

function lastSequenceOf<T>({ source }: WriteTarget, { database }: RecordCodec<T>, tokenId: string): number {
  for (const key of source.keys(database, { ...rangeOf(tokenId), isReversed: true, limit: 1 })) {
    return sequenceOf(key);
  }
  return 0;
}
