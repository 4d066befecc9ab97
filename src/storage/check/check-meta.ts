import { DamagedRecordError } from '../damaged-record-error.ts';
import { metaCodecOf } from '../record-kinds.ts';
import { type Finding, findingAt } from './finding.ts';
import { decodeOrDamage, type Entry, type StoreWalk } from './store-walk.ts';

/** The identity, the counters and what was written can be read, and there is nothing else. */
export function* checkMeta(walk: StoreWalk): Generator<Finding> {
  yield* walk.entries('meta', function* (entry) {
    const what = wrongWith(entry);
    if (what !== null) yield findingAt('meta', entry.key, what);
  });
}

function wrongWith(entry: Entry): string | null {
  const codec = metaCodecOf(entry.key);
  if (codec === null) return 'is not known here';
  const decoded = decodeOrDamage(codec, entry);
  return decoded instanceof DamagedRecordError ? decoded.what : null;
}
