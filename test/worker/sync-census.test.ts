import t from 'tap';
import { SyncDesk } from '../../src/front/sync-desk.ts';
import { censusOf, SeenVersions } from '../../src/worker/sync/sync-census.ts';

const place = { projectId: 'p', name: 'production', kind: 'sync' } as const;

t.test(
  'clients are behind by the time since the first change that they lack, however large the numbers',
  async (t) => {
    const seen = new SeenVersions();
    const count = (version: number, known: readonly (number | null)[], now: number) =>
      censusOf({ ...place, version, seen }, known, now);
    t.match(count(10, [10, 12], 0), { versions: [[10, 2]], starting: 0, lagMs: 0 });
    // Other tenants made thousands of changes between the two of this environment.
    t.match(count(5000, [10, 5000], 1000), {
      versions: [
        [5000, 1],
        [10, 1],
      ],
      lagMs: 0,
    });
    t.match(count(9000, [10, 5000], 3000), { lagMs: 2000 });
    t.match(count(9000, [5000], 4000), { lagMs: 1000 }, 'the first change that it lacks counts');
    t.match(count(9000, [9000], 5000), { lagMs: 0 });
    t.match(count(3, [3], 6000), { lagMs: 0 }, 'after a restore numbers are smaller');
  },
);

t.test('a client that was not sent anything yet is not behind', async (t) => {
  const census = censusOf({ ...place, version: 7, seen: new SeenVersions() }, [null, 7, null], 0);
  t.match(census, { versions: [[7, 1]], starting: 2, lagMs: 0 });
});

t.test('what is remembered of an environment is bounded', async (t) => {
  const seen = new SeenVersions();
  for (let number = 1; number <= 1000; number += 1) seen.note(number, number * 1000);
  t.equal(seen.msSinceChangeAfter(0, 1_000_000), 99_000);
});

t.test('threads are put together, and kinds of programs are told apart', async (t) => {
  const desk = new SyncDesk();
  const [one, other, flagd] = [{}, {}, {}];
  const base = { projectId: 'p', environment: 'production', starting: 0, lagMs: 0 };
  desk.noteCensus(one, [{ ...base, kind: 'sync', version: 5, versions: [[5, 2]], starting: 1 }]);
  desk.noteCensus(other, [
    {
      ...base,
      kind: 'sync',
      version: 5,
      versions: [
        [5, 1],
        [3, 1],
      ],
      lagMs: 900,
    },
  ]);
  desk.noteCensus(flagd, [{ ...base, kind: 'flagd', version: 5, versions: [[5, 500]] }]);
  const versions = [
    { version: 5, streams: 3 },
    { version: 3, streams: 1 },
  ];
  const common = { environment: 'production', version: 5 };
  const byFlagd = {
    kind: 'flagd',
    streams: 500,
    versions: [{ version: 5, streams: 500 }],
    starting: 0,
    lagMs: 0,
  };
  t.same(desk.streamsOf('p'), [
    { ...common, ...byFlagd },
    { ...common, kind: 'sync', streams: 5, versions, starting: 1, lagMs: 900 },
  ]);
  t.same(desk.streamsOf('q'), []);
  desk.forget(one);
  desk.noteCensus(other, []);
  desk.forget(flagd);
  t.same(desk.streamsOf('p'), []);
});

t.test('a project that sends many reports forgets its own, not those of others', async (t) => {
  const desk = new SyncDesk();
  const note = (projectId: string, accountId: string, key: string, now = 0) =>
    desk.noteReport({ projectId, accountId }, key, now);
  t.ok(note('quiet', 'q', 'first'));
  for (let count = 0; count < 60_000; count += 1) note('crowd', 'o', `crowd ${count}`);
  for (let count = 0; count < 20_000; count += 1) note(`crowd ${count}`, 'o', `other ${count}`);
  t.notOk(note('quiet', 'q', 'first'), 'it is still known');
  t.notOk(note('crowd', 'o', 'crowd 59999'), 'so is the last one of the crowd');
  t.ok(note('crowd', 'o', 'crowd 0'), 'its first one is forgotten');
  t.ok(note('quiet', 'q', 'second'));
  t.ok(note('quiet', 'q', 'first', 600_000), 'after ten minutes everything is');
});
