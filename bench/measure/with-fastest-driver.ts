import type { Bench } from '../scenario.ts';

/** The same bench with only the fastest load generator, for loads at which a slower one would measure itself. */
export function withFastestDriver(bench: Bench): Bench {
  return {
    settings: { ...bench.settings, drivers: bench.settings.drivers.slice(0, 1) },
    note: (text) => bench.note(text),
    compare: (plan) => bench.compare(plan),
  };
}
