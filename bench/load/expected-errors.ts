import type { BenchRequest } from './request-list.ts';

/** wrk counts statuses over 399 as errors, and sees no other difference between statuses. */
const lowestError = 400;

export interface CountRange {
  readonly least: number;
  readonly most: number;
}

/**
 * How many error statuses to expect when a list is issued in order, repeatedly. Which issued requests were still
 * unanswered at the end is unknown, so the result is a range, at most as wide as their number.
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
