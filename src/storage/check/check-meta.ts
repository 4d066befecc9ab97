import { DamagedRecordError } from '../damaged-record-error.ts';
import { metaKeys } from '../keys/key-parts.ts';
import { counterRecord } from '../records/counter-record.ts';
import { identityRecord } from '../records/identity-record.ts';
import { type Finding, findingAt } from './finding.ts';
import { decodeOrDamage, type Entry, type StoreWalk } from './store-walk.ts';

/** The identity and the counters can be read, and there is nothing else. */
export function* checkMeta(walk: StoreWalk): Generator<Finding> {
  yield* walk.entries('meta', function* (entry) {
    const what = wrongWith(entry);
    if (what !== null) yield findingAt('meta', entry.key, what);
  });
}

function wrongWith(entry: Entry): string | null {
  const isCounter = entry.key.equals(metaKeys.changeLog) || entry.key.equals(metaKeys.outbox);
  if (!isCounter && !entry.key.equals(metaKeys.store)) return 'is not known here';
  const decoded = decodeOrDamage<unknown>(isCounter ? counterRecord : identityRecord, entry);
  return decoded instanceof DamagedRecordError ? decoded.what : null;
}
