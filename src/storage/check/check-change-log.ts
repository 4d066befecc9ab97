import { metaKeys, sequenceOf } from '../keys/key-parts.ts';
import { changeLogRecord } from '../records/change-log-record.ts';
import { counterRecord } from '../records/counter-record.ts';
import { type Finding, findingAt } from './finding.ts';
import type { StoreWalk } from './store-walk.ts';

/** Entries count up without gaps, and the counter is the last one's number. */
export function* checkChangeLog(walk: StoreWalk): Generator<Finding> {
  let last: number | null = null;
  yield* walk.records(changeLogRecord, function* ({ key, record }) {
    const sequence = sequenceOf(key);
    if (last !== null && sequence !== last + 1) yield findingAt('change-log', key, `follows entry ${last}`);
    if (record.sequence !== sequence)
      yield findingAt('change-log', key, `says it is entry ${record.sequence}`);
    last = sequence;
  });
  const counter = walk.find(counterRecord, metaKeys.changeLog) ?? 0;
  if ((last ?? 0) === counter) return;
  yield findingAt('meta', metaKeys.changeLog, `says ${counter}, but the last entry is ${last ?? 0}`);
}
