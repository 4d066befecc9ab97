import t from 'tap';
import { UsageReports } from '../../src/worker/sync/usage-report.ts';

const counted = { flagIds: '', numbers: new Float64Array() };

t.test('a few reports are counted at once, organisations take turns, and too many are refused', async (t) => {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const reports = new UsageReports(
    ({ key }) =>
      new Promise((resolve) => {
        begun.push(key);
        waiting.push(() => resolve(true));
      }),
  );
  const send = (projectId: string, key: string) =>
    reports.report({ tenant: { projectId, accountId: projectId }, key, counted });
  const crowd = Array.from({ length: 200 }, (_unused, index) => send('crowd', `crowd ${index}`));
  const refused = await Promise.all(crowd.slice(128));
  t.same(new Set(refused), new Set([null]), 'a project has half of the places');
  t.same(begun, ['crowd 0', 'crowd 1', 'crowd 2', 'crowd 3']);
  const quiet = send('quiet', 'quiet');
  await new Promise(setImmediate);
  t.same(begun.slice(4), ['quiet'], 'another one does not wait behind them');
  let answered = 0;
  const all = Promise.all([...crowd.slice(0, 128), quiet]);
  const count = all.then((answers) => {
    answered = answers.filter((isNew) => isNew === true).length;
  });
  while (waiting.length > 0) {
    for (const finish of waiting.splice(0)) finish();
    await new Promise(setImmediate);
  }
  await count;
  t.equal(answered, 129);
});

t.test('a report that fails gives back its turn and its place', async (t) => {
  const reports = new UsageReports(() => Promise.reject(new Error('lost')));
  const tenant = { projectId: 'p', accountId: null };
  for (let round = 0; round < 300; round += 1) {
    await t.rejects(reports.report({ tenant, key: `${round}`, counted }), { message: 'lost' });
  }
});
