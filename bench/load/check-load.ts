import type { RequestList } from './request-list.ts';

/** How many requests the generators can hold in memory. */
const requestsMax = 200_000;
const connectionsMax = 20_000;
const secondsMax = 3600;

interface AnyLoad {
  readonly list: RequestList;
  readonly connections: number;
  readonly seconds: number;
  readonly requestsPerSecond?: number;
}

/** @throws RangeError that says which part of a load is out of range, and the range */
export function checkLoad({ list, connections, seconds, requestsPerSecond }: AnyLoad): void {
  const { length } = list.requests;
  if (length < 1 || length > requestsMax)
    throw new RangeError(`a load needs 1 to ${requestsMax} requests, not ${length}`);
  if (!Number.isInteger(connections) || connections < 1 || connections > connectionsMax)
    throw new RangeError(
      `connections must be a whole number from 1 to ${connectionsMax}, not ${connections}`,
    );
  if (!(seconds > 0 && seconds <= secondsMax))
    throw new RangeError(`seconds must be above 0 and at most ${secondsMax}, not ${seconds}`);
  if (requestsPerSecond !== undefined && !(requestsPerSecond > 0 && requestsPerSecond <= 1e6))
    throw new RangeError(`requests a second must be above 0 and at most 1e6, not ${requestsPerSecond}`);
  if (!/^https?:$/.test(new URL(list.origin).protocol))
    throw new RangeError(`a server's origin begins with http:// or https://, unlike ${list.origin}`);
}
