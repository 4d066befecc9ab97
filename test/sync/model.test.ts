import t from 'tap';
import { createRandom } from '../support/random.ts';
import { bootSync, syncDocument } from './sync-fixture.ts';

t.setTimeout(180_000);

const flagCount = 1000;
const changes = 300;

t.test('snapshot and deltas lead to the state of the server, also across reconnects', async (test) => {
  const flags = Array.from({ length: flagCount }, (_, index) => ({ name: `flag ${index}` }));
  const site = await bootSync(test, { document: syncDocument(flags) });
  const { single } = site;
  const secret = site.secret('write', single);
  const path = `/sync/v1/${single.id}`;
  const ids = Object.values(single.flags);
  const audiences = [...Object.values(single.audiences), null];
  const random = createRandom(17);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random.next() * all.length)] as T;
  const steady = await site.stream({ path, secret });
  let torn = await site.stream({ path, secret });
  const changeOnce = async (round: number): Promise<void> => {
    if (round % 25 === 0) {
      const name = `made in round ${round}`;
      ids.push(JSON.parse(await site.change('POST', '/api/v1/flags', { name }, secret)).id);
      return;
    }
    const body = pick([
      { enabled: random.next() < 0.5 },
      { trafficPercentage: Math.floor(random.next() * 101) },
      { audienceId: pick(audiences) },
      { cohorts: Array.from({ length: Math.floor(random.next() * 5) }, (_, at) => `c"${round}-${at}`) },
    ]);
    await site.change('PATCH', `/api/v1/flags/${pick(ids)}`, body, secret);
  };
  for (let round = 0; round < changes; round += 1) {
    await changeOnce(round);
    if (round % 60 !== 30) continue;
    // Its position is kept, and its state; what happens meanwhile is missed.
    await torn.next(() => true);
    torn.close();
    const { lastEventId, state } = torn;
    await changeOnce(round + 1);
    torn = await site.stream({ path, secret, lastEventId, state });
  }
  const { version } = await site.snapshot(path, secret);
  await steady.reach(version);
  await torn.reach(version);
  const content = await site.content(path, secret);
  test.strictSame(steady.state.content, content);
  test.strictSame(torn.state.content, content, 'also where it was away from time to time');
});
