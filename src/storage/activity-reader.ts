import type { RecordQueries } from '../domain/record-queries.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { rangeOf } from './keys/key-parts.ts';
import type { RecordSource } from './record-source.ts';
import { activityRecord } from './records/activity-record.ts';
import type { RecordCodec } from './records/record-codec.ts';
import { tokenUseRecord } from './records/token-use-record.ts';

/** The questions about what tokens did and were refused. */
export function activityQueries(source: RecordSource): Pick<RecordQueries, 'denialsOf' | 'usesOf'> {
  return {
    denialsOf: (tokenId) => newestFirst(source, activityRecord, tokenId),
    usesOf: (tokenId) => newestFirst(source, tokenUseRecord, tokenId),
  };
}

function* newestFirst<T>(source: RecordSource, codec: RecordCodec<T>, tokenId: string): Generator<T> {
  if (!isIdShaped(tokenId)) return;
  const rows = source.records(codec, { ...rangeOf(tokenId), isReversed: true });
  for (const { record } of rows) yield record;
}
