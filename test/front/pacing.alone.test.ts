import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { commandPaceMs } from '../../src/support/held-commands.ts';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { percentileOf } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';

const roundsMax = 25;

t.test('changes are not paced while evaluations leave the workers idle time', async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const { port, stop } = await bootServer(t, { dataDir, settings: unlimited });
  const evaluations = createHttpClient(t, { port, connectionsMax: 10 });
  let failed = 0;
  // A hundredth of a worker's capacity, and many more changes than pacing would admit.
  const load = setInterval(() => {
    for (let index = 0; index < 10; index += 1) {
      evaluations.send({ path: `/v1/flags/${flag}?targetingKey=${index}` }).catch(() => {
        failed += 1;
      });
    }
  }, 5);
  const client = createHttpClient(t, { port });
  const change = async (index: number): Promise<void> => {
    const { status } = await client.send({
      method: 'PATCH',
      path: `/api/v1/flags/${flag}`,
      headers: { ...bearer(secret), 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: index % 2 === 0 }),
    });
    if (status !== 200) throw new Error(`a change: ${status}`);
  };
  /** From each acknowledgement to the next. Paced changes are sent at multiples of the pace, so these are a pace or more. */
  const intervalsOf = async (changes: number): Promise<readonly number[]> => {
    const intervals: number[] = [];
    let acknowledgedAt = performance.now();
    for (let index = 0; index < changes; index += 1) {
      await change(index);
      await setTimeout(1);
      const now = performance.now();
      intervals.push(now - acknowledgedAt);
      acknowledgedAt = now;
    }
    return intervals;
  };
  // A worker seems busy while other processes have the cores, so one good round of many is enough. Paced rounds are
  // all slow, however many there are.
  const fast: number[] = [];
  const isFast = (): boolean => Math.min(...fast) < commandPaceMs * 0.8;
  while (fast.length < roundsMax && !isFast()) fast.push(percentileOf(await intervalsOf(40), 25));
  clearInterval(load);
  t.equal(failed, 0);
  t.ok(isFast(), `a quarter within ${fast.join(', ')} ms`);
  await stop();
});
