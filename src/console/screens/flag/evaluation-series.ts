import type { EvaluationCounts } from '../../../contracts/console/evaluation-views.ts';

export interface ShownSeries {
  /** Beginnings of hours, Unix milliseconds, ascending. */
  readonly hours: readonly number[];
  readonly on: readonly number[];
  readonly off: readonly number[];
  readonly onTotal: number;
  readonly offTotal: number;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** @param environment a number; null adds all of them up */
export function shownSeries({ hours, series }: EvaluationCounts, environment: number | null): ShownSeries {
  const chosen = series.filter(
    ({ environmentNumber }) => environment === null || environmentNumber === environment,
  );
  const on = hours.map((_, hour) => sum(chosen.map((each) => each.on[hour] ?? 0)));
  const off = hours.map((_, hour) => sum(chosen.map((each) => each.off[hour] ?? 0)));
  return { hours, on, off, onTotal: sum(on), offTotal: sum(off) };
}
