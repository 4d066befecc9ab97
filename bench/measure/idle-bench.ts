import type { Bench, ContenderPlan } from '../scenario.ts';
import { whileIdle } from './idle-connections.ts';
import type { AskedContender } from './question.ts';

/** Well below the time after which a server closes a silent connection. */
const askEveryMs = 6000;

/** The same bench, with `count` more connections to each contender that are idle meanwhile. */
export function withIdle(bench: Bench, count: number, contenders: readonly AskedContender[]): Bench {
  const loaded = (contender: ContenderPlan): ContenderPlan => {
    const origin = contenders.find(({ name }) => name === contender.name)?.list.origin;
    if (origin === undefined) throw new Error(`${contender.name} has no address`);
    return {
      ...contender,
      measure: (seconds) => whileIdle({ origin, count, askEveryMs }, () => contender.measure(seconds)),
    };
  };
  return {
    settings: bench.settings,
    note: (text) => bench.note(text),
    compare: (plan) =>
      bench.compare({
        ...plan,
        settings: {
          ...plan.settings,
          'idle connections': count,
          'seconds between two requests of an idle connection': askEveryMs / 1000,
        },
        contenders: plan.contenders.map(loaded),
      }),
  };
}
