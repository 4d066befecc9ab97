import {
  type EvaluationCount,
  hourMs,
  hoursKept,
  ownShareOffset,
} from '../../domain/usage/evaluation-count.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { idKey, sequenceBytes, sequenceKey, sequenceOf } from '../keys/key-parts.ts';
import { recordCodec } from '../records/record-codec.ts';
import type { WriteTarget } from '../write-target.ts';
import type { Table } from './table.ts';

/** A flag's answers within an hour, by environment; hour and flag are in the key. */
type HourCounts = readonly Pick<EvaluationCount, 'environmentNumber' | 'on' | 'off'>[];

export const evaluationCountsRecord = recordCodec({
  database: 'evaluation-counts',
  toRow: (counts: HourCounts) =>
    counts.map(({ environmentNumber, on, off }) => [environmentNumber, on, off] as const),
  fromRow: (row) => row.map(([environmentNumber, on, off]) => ({ environmentNumber, on, off })),
});

/** A flag's answers in an hour: the records of an hour are adjacent, and the oldest hour comes first. */
export function hourFlagKey(hour: number, flagId: string): Buffer {
  return Buffer.concat([sequenceKey(hour), idKey(flagId)]);
}

export function readHourFlagKey(key: Buffer): { readonly hour: number; readonly flagId: string } {
  return { hour: sequenceOf(key.subarray(0, sequenceBytes)), flagId: key.toString('latin1', sequenceBytes) };
}

export const evaluationCountTable = {
  kinds: [{ codec: evaluationCountsRecord, indexes: [] }],
  answers: {
    evaluationCounts({ source }, flagId, hour) {
      if (!isIdShaped(flagId)) return [];
      const counts = source.find(evaluationCountsRecord, hourFlagKey(hour, flagId)) ?? [];
      return counts.map((count) => ({ ...count, hour, flagId }));
    },
  },
  writes: {
    'evaluation-count': (target, { count }) => addEvaluationCount(target, count),
    'own-evaluations': (target, { count }) => {
      addEvaluationCount(target, count);
      addEvaluationCount(target, { ...count, hour: count.hour + ownShareOffset });
    },
    'other-evaluations': (target, { count }) => setOtherEvaluations(target, count),
  },
  check: checkEvaluationCounts,
} satisfies Table;

/** Each new record drops this many old ones: more than it adds, and few enough to delay no change. */
const droppedMax = 2;
const firstHour = sequenceKey(0);

/** Adds to the stored counts of the hour. */
function addEvaluationCount(target: WriteTarget, count: EvaluationCount): void {
  const key = hourFlagKey(count.hour, count.flagId);
  const stored = countsAt(target, key);
  target.put(evaluationCountsRecord, key, sum(stored, count));
  if (stored.length === 0) dropOld(target, count.hour);
}

/** The sum of all nodes: the counts of this one, and those of the others. */
function setOtherEvaluations(target: WriteTarget, count: EvaluationCount): void {
  const { hour, flagId, environmentNumber } = count;
  const own = countsAt(target, hourFlagKey(hour + ownShareOffset, flagId)).filter(
    (share) => share.environmentNumber === environmentNumber,
  );
  const key = hourFlagKey(hour, flagId);
  const others = countsAt(target, key).filter((shown) => shown.environmentNumber !== environmentNumber);
  target.put(evaluationCountsRecord, key, sum([...others, ...own], count));
  if (others.length === 0) dropOld(target, hour);
}

function countsAt(target: WriteTarget, key: Buffer): HourCounts {
  const bytes = target.source.findBytes('evaluation-counts', key);
  return bytes === undefined ? [] : evaluationCountsRecord.decode(key, bytes);
}

function sum(stored: HourCounts, { environmentNumber, on, off }: EvaluationCount): HourCounts {
  const others = stored.filter((other) => other.environmentNumber !== environmentNumber);
  const before = stored.find((other) => other.environmentNumber === environmentNumber);
  return [...others, { environmentNumber, on: on + (before?.on ?? 0), off: off + (before?.off ?? 0) }];
}

function dropOld(target: WriteTarget, hour: number): void {
  const firstKept = Math.max(0, hour - (hoursKept - 1) * hourMs);
  const old = { start: firstHour, end: sequenceKey(firstKept), limit: droppedMax };
  for (const key of [...target.source.keys('evaluation-counts', old)])
    target.remove('evaluation-counts', key);
}

/** Counts of whole hours, none below zero. The counts of a deleted flag stay until they are too old. */
function* checkEvaluationCounts(walk: StoreWalk): Generator<Finding> {
  yield* walk.records(evaluationCountsRecord, function* ({ key, record }) {
    const { hour, flagId } = readHourFlagKey(key);
    if (hour % hourMs > ownShareOffset || !isIdShaped(flagId)) {
      yield findingAt('evaluation-counts', key, 'is of no hour and flag');
    }
    if (record.some(({ on, off }) => !(on >= 0 && off >= 0))) {
      yield findingAt('evaluation-counts', key, 'has a count below zero');
    }
  });
}
