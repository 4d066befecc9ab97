import type { BenchRequest } from './request-list.ts';

/** What wrk counts as an error: it sees no other difference between statuses. */
const lowestError = 400;

export interface CountRange {
  readonly least: number;
  readonly most: number;
}

/**
 * How many error statuses are right when a list is issued in order, over and over. Which of the issued requests were
 * not answered yet at the end is unknown, so there is a range: as wide as their number at most.
 */
export function expectedErrors(
  requests: readonly BenchRequest[],
  issued: number,
  answered: number,
): CountRange {
  const most = errorsAmong(requests, issued);
  return { least: Math.max(0, most - Math.max(0, issued - answered)), most: Math.min(most, answered) };
}

function errorsAmong(requests: readonly BenchRequest[], issued: number): number {
  const countErrors = (slice: readonly BenchRequest[]): number =>
    slice.reduce((count, { status }) => (status >= lowestError ? count + 1 : count), 0);
  const rest = issued % requests.length;
  const rounds = (issued - rest) / requests.length;
  return rounds * countErrors(requests) + countErrors(requests.slice(0, rest));
}
