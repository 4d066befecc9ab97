import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { UsageReports } from '../../src/worker/sync/usage-report.ts';

const counted = { flagIds: '', numbers: new Float64Array() };
const tenantOf = (projectId: string) => ({ projectId, accountId: projectId });

t.test('projects have their shares of reports', async (t) => {
  const reports = new UsageReports({ claimReport: async () => true, addReported: async () => null });
  const fill = (projectId: string): number => {
    let count = 0;
    while (reports.begin(tenantOf(projectId))) count += 1;
    return count;
  };
  t.equal(fill('crowd'), 128);
  t.equal(fill('quiet'), 64);
  reports.end(tenantOf('quiet'));
  t.equal(fill('quiet'), 1);
});

t.test('a few are added at once, in turns, while any number waits for what nodes know', async (t) => {
  const added: (() => void)[] = [];
  let known: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    known = resolve;
  });
  let [claimed, answered] = [0, 0];
  const reports = new UsageReports({
    claimReport: async (_tenant, key) => {
      claimed += 1;
      await asked;
      return key !== 'repeated';
    },
    addReported: () => new Promise((resolve) => added.push(() => resolve(null))),
  });
  const send = async (projectId: string, key: string) => {
    const isNew = await reports.count(tenantOf(projectId), key, counted);
    answered += 1;
    return isNew;
  };
  const crowd = Array.from({ length: 20 }, (_unused, index) => send('crowd', `${index}`));
  const [quiet, repeated] = [send('quiet', 'first'), send('quiet', 'repeated')];
  await setImmediate();
  t.equal(claimed, 22, 'all are asked for at once');
  known();
  t.equal(await repeated, false);
  await setImmediate();
  t.equal(added.length, 3, 'two of the crowd, and the one of another project');
  while (answered < 22) {
    t.ok(added.length <= 4);
    for (const finish of added.splice(0)) finish();
    await setImmediate();
  }
  t.same(await Promise.all([...crowd, quiet]), new Array(21).fill(true));
});

t.test('a report that fails gives back its turn', async (t) => {
  const lost = () => Promise.reject(new Error('lost'));
  const reports = new UsageReports({ claimReport: async () => true, addReported: lost });
  for (let round = 0; round < 20; round += 1) {
    await t.rejects(reports.count(tenantOf('p'), `${round}`, counted), { message: 'lost' });
  }
});
