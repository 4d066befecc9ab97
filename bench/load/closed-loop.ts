import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { checkLoad } from './check-load.ts';
import type { ClosedLoopLoad, ClosedLoopResult } from './closed-loop-load.ts';
import { runLoadProgram } from './load-program.ts';
import { findWrk, runWrk } from './wrk.ts';

const autocannonProgram = fileURLToPath(new URL('./autocannon-process.js', import.meta.url));

/** `wrk` is used where it is installed, because autocannon is the bottleneck above some 40,000 requests a second. */
export type ClosedLoopDriver = 'wrk' | 'autocannon';

/** @returns the drivers that can be used here, the fastest first */
export function availableDrivers(): readonly ClosedLoopDriver[] {
  return findWrk() === null ? ['autocannon'] : ['wrk', 'autocannon'];
}

/** @returns a driver's name and version, for the report */
export function describeDriver(driver: ClosedLoopDriver): string {
  return driver === 'wrk' ? `wrk ${findWrk() ?? '(not installed)'}` : `autocannon ${autocannonVersion()}`;
}

function autocannonVersion(): string {
  const manifest = createRequire(import.meta.url)('autocannon/package.json') as { readonly version: string };
  return manifest.version;
}

/**
 * Each connection sends its next request as soon as it has an answer. The driver runs in a process of its own.
 *
 * With autocannon every answer is checked. wrk only counts statuses over 399 and would take 204 for 200, so up to 200
 * requests of the list are sent and checked before the load.
 *
 * @throws when a request gets another status than its expected one, or no answer; the message has the counts
 * @throws RangeError for a load that is out of range
 */
export async function runClosedLoop(
  driver: ClosedLoopDriver,
  load: ClosedLoopLoad,
): Promise<ClosedLoopResult> {
  checkLoad(load);
  return driver === 'wrk' ? await runWrk(load) : await runLoadProgram(autocannonProgram, load);
}
