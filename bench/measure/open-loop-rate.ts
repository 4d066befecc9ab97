import { splitCores } from '../load/cores.ts';
import { runOpenLoop } from '../load/open-loop.ts';
import type { RequestList } from '../load/request-list.ts';
import type { Bench } from '../scenario.ts';

/** A rate for a latency comparison, and a remark about it. */
export interface OpenLoopRate {
  readonly requestsPerSecond: number;
  readonly remarks: readonly string[];
}

const lowerRatesMax = 6;
const lowerBy = 0.8;
/** Tries several times, because one noisy moment of the machine does not show the generator's limit. */
const triesOfRate = 2;
/** A generator that cannot keep up falls behind steadily, within a second by more than this. */
const sentPartMin = 0.98;
const latenessMaxUs = 2000;
/** The generator must be able to send this many times the measured rate: close to its limit it measures itself. */
const headroom = 1.25;
const probeSeconds = 1;
const quickRateMax = 1000;

/**
 * Finds the rate to measure latencies at: the given rate, or less if the generator cannot hold it against the fastest server.
 *
 * @param list requests to the fastest server
 */
export async function findOpenLoopRate(
  bench: Bench,
  list: RequestList,
  connections: number,
  given: number,
): Promise<OpenLoopRate> {
  if (bench.settings.isQuick) {
    return { requestsPerSecond: Math.ceil(Math.min(given, quickRateMax)), remarks: [] };
  }
  bench.note(`trying whether the load generator keeps up with ${inWords(given)}`);
  let rate = given;
  for (let lowered = 0; lowered < lowerRatesMax; lowered += 1) {
    if (await canKeep(list, connections, Math.ceil(rate * headroom))) break;
    rate *= lowerBy;
  }
  const requestsPerSecond = Math.ceil(rate);
  const cap = `The rate is capped at ${inWords(rate)}: the load generator cannot send ${inWords(given)} in time, with room to spare, on this machine.`;
  return { requestsPerSecond, remarks: rate < given ? [cap] : [] };
}

function inWords(rate: number): string {
  return `${Math.ceil(rate).toLocaleString('en-GB')} requests a second`;
}

async function canKeep(list: RequestList, connections: number, requestsPerSecond: number): Promise<boolean> {
  const split = splitCores();
  const core = split === null ? {} : { core: split.generator };
  for (let tries = 0; tries < triesOfRate; tries += 1) {
    const seconds = probeSeconds;
    const result = await runOpenLoop({ list, connections, seconds, requestsPerSecond, ...core });
    const isSent = result.requestsPerSecond >= requestsPerSecond * sentPartMin;
    if (isSent && result.lateP99Us <= latenessMaxUs) return true;
  }
  return false;
}
