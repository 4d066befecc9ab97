import { type EvaluationCount, hourMs, hoursKept } from '../domain/usage/evaluation-count.ts';
import { hourFlagKey } from './keys/evaluation-count-keys.ts';
import { sequenceKey } from './keys/key-parts.ts';
import { evaluationCountsRecord, type HourCounts } from './records/evaluation-counts-record.ts';
import type { WriteTarget } from './write-target.ts';

/** Each new record drops so many that are too old: more than it adds, and few enough to delay nobody. */
const droppedMax = 2;
const firstHour = sequenceKey(0);

/** Adds to what is stored of the hour. */
export function addEvaluationCount(target: WriteTarget, count: EvaluationCount): void {
  const key = hourFlagKey(count.hour, count.flagId);
  const bytes = target.source.findBytes('evaluation-counts', key);
  const stored = bytes === undefined ? [] : evaluationCountsRecord.decode(key, bytes);
  target.put(evaluationCountsRecord, key, sum(stored, count));
  if (bytes === undefined) dropOld(target, count.hour);
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
