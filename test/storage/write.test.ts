import t from 'tap';
import { activityRowsMax } from '../../src/domain/bounds.ts';
import type { RecordChange } from '../../src/domain/record-change.ts';
import type { StoreReader } from '../../src/storage/store-reader.ts';
import { newId } from '../../src/support/random-id.ts';
import { auditEntryOf, denialOf, flagChangeOf, flagOf, organisationOf, tokenOf } from './support/records.ts';
import { newStore, sampleRecords, writeSample } from './support/sample-store.ts';

const projectId = newId();

function nonEmptyCounts(reader: StoreReader): string[] {
  reader.renew();
  return Array.from(reader.counts()).flatMap(([name, count]) => (count === 0 ? [] : [`${name} ${count}`]));
}

t.test('an invalid id from outside finds nothing', async (test) => {
  const { store, reader } = newStore(test);
  const { flag } = writeSample(store);
  const alias = String.fromCodePoint((flag.id.codePointAt(0) ?? 0) + 256) + flag.id.slice(1);
  for (const id of [
    '',
    'a',
    alias,
    `${flag.id}a`,
    '\u0000'.repeat(20),
    'é'.repeat(20),
    'a'.repeat(100_000),
  ]) {
    test.equal(reader.queries.flag(id), undefined);
    test.strictSame([...reader.queries.flagsOf(id, 'checkout')], []);
    test.strictSame(
      [...reader.queries.tokensOf(id), ...reader.queries.denialsOf(id), ...reader.auditEntries(id)],
      [],
    );
    test.strictSame([...reader.queries.sessionsOf(id), ...reader.queries.auditOf(id)], []);
    test.strictSame([...reader.queries.membersByEmail(id)], []);
  }
  test.strictSame([...reader.queries.flagsOf(flag.projectId, 'a'.repeat(100_000))], []);
  for (const length of [0, 31, 33]) {
    test.equal(reader.queries.tokenBySecretHash(new Uint8Array(length)), undefined);
    test.equal(reader.queries.sessionBySecretHash(new Uint8Array(length)), undefined);
  }
});

t.test('a write whose callback throws leaves nothing, and rethrows the error', async (test) => {
  const { store, reader } = newStore(test);
  const before = nonEmptyCounts(reader);
  const failure = new Error('changed my mind');
  const sample = sampleRecords();
  const write = () =>
    store.write(({ apply, queries }) => {
      apply([{ kind: 'organisation', before: null, after: sample.organisation }]);
      apply([
        flagChangeOf(null, sample.flag),
        { kind: 'audit', entry: auditEntryOf(sample.organisation.id) },
      ]);
      apply([{ kind: 'outbox', entry: { kind: 'denial-email', denial: sample.denial } }]);
      test.strictSame(queries.flag(sample.flag.id), sample.flag);
      throw failure;
    });
  test.throws(write, failure);
  test.strictSame(nonEmptyCounts(reader), before);
  test.equal(store.sequence(), 0);
  test.ok(store.isEmpty());
  writeSample(store);
  test.equal(store.sequence(), 3, 'and the next write succeeds');
});

t.test('a change that cannot be stored aborts its transaction', async (test) => {
  const { store, reader } = newStore(test);
  const before = nonEmptyCounts(reader);
  const unstorable = [
    flagOf(projectId, { name: 'a'.repeat(801) }),
    flagOf(projectId, { name: 'a\u0000b' }),
    flagOf(projectId, { cohorts: ['\ud800'] }),
    flagOf('not an id'),
  ];
  for (const flag of unstorable) {
    const changes = [flagChangeOf(null, flagOf(projectId)), flagChangeOf(null, flag)];
    test.throws(() => store.write(({ apply }) => apply(changes)), flag.name.slice(0, 10));
  }
  test.throws(() => store.write(({ apply }) => apply([flagChangeOf(null, null)])));
  test.throws(() => store.write(({ apply }) => apply([flagChangeOf(flagOf(projectId), flagOf(projectId))])));
  test.strictSame(nonEmptyCounts(reader), before);
});

t.test('a transaction ends when the write returns, and cannot be nested', async (test) => {
  const { store } = newStore(test);
  const apply = store.write((transaction) => transaction.apply);
  test.throws(() => apply([flagChangeOf(null, flagOf(projectId))]), /over/);
  test.throws(() => store.write(() => store.write(() => 1)), /within/);
  test.equal(
    store.write(() => 1),
    1,
  );
});

t.test(
  'the change log names flags with their environment, and projects for other changes that affect evaluation',
  async (test) => {
    const { store, reader } = newStore(test);
    const { project, audience, flag } = writeSample(store);
    store.write(({ apply }) => apply([flagChangeOf(flag, { ...flag, revision: 2 }, '__proto__')]));
    test.strictSame(
      [...reader.changeLog()],
      [
        { sequence: 1, number: 1, kind: 'project', projectId: project.id, id: project.id, environment: null },
        {
          sequence: 2,
          number: 2,
          kind: 'project',
          projectId: project.id,
          id: audience.id,
          environment: null,
        },
        { sequence: 3, number: 3, kind: 'flag', projectId: project.id, id: flag.id, environment: null },
        {
          sequence: 4,
          number: 4,
          kind: 'flag',
          projectId: project.id,
          id: flag.id,
          environment: '__proto__',
        },
      ],
    );
    test.strictSame(
      reader.changesSince(2)?.map(({ sequence }) => sequence),
      [3, 4],
    );
    test.strictSame(reader.changesSince(4), []);
    test.strictSame(reader.changesSince(0)?.length, 4);
    test.equal(reader.changesSince(5), null, 'of another store’s future');
    test.equal(store.sequence(), 4);
    test.equal(reader.sequence(), 4);
  },
);

t.test('a write that changes nothing, or no flag, adds nothing to the change log', async (test) => {
  const { store, reader } = newStore(test);
  store.write(() => undefined);
  store.write(({ apply }) => apply([{ kind: 'organisation', before: null, after: organisationOf() }]));
  store.write(({ apply }) => apply([{ kind: 'token', before: null, after: tokenOf(projectId) }]));
  test.equal(store.sequence(), 0);
  test.strictSame([...reader.changeLog()], []);
  test.strictSame(reader.changesSince(0), []);
});

t.test(
  'the change log keeps its newest entries, and reports a reader that is too far behind',
  async (test) => {
    const { store, reader } = newStore(test, { changeLogEntriesMax: 5 });
    let flag = flagOf(projectId);
    store.write(({ apply }) => apply([flagChangeOf(null, flag)]));
    for (let revision = 2; revision <= 12; revision += 1) {
      const next = { ...flag, revision };
      store.write(({ apply }) => apply([flagChangeOf(flag, next)]));
      flag = next;
    }
    test.strictSame(
      Array.from(reader.changeLog(), ({ sequence }) => sequence),
      [8, 9, 10, 11, 12],
    );
    test.equal(reader.changesSince(6), null);
    test.equal(reader.changesSince(7)?.length, 5);
  },
);

t.test('more than 1,000 changes in one transaction are logged as a change of everything', async (test) => {
  const { store, reader } = newStore(test);
  const create = (count: number) => {
    const changes = Array.from({ length: count }, () => flagChangeOf(null, flagOf(projectId)));
    store.write(({ apply }) => {
      for (const change of changes) apply([change]);
    });
    reader.renew();
  };
  create(1000);
  test.equal(store.sequence(), 1000);
  test.equal(reader.changesSince(0)?.length, 1000);
  create(1001);
  test.equal(reader.changesSince(0), null, 'dropping all caches is quicker than applying so many');
  test.strictSame(reader.changesSince(1000), [
    { sequence: 1001, number: 2001, kind: 'everything', projectId: '', id: '', environment: null },
  ]);
});

t.test('a token keeps its newest 1,000 activity rows, newest first', async (test) => {
  const { store, reader } = newStore(test);
  const [token, other] = [tokenOf(projectId), tokenOf(projectId)];
  const rows = (from: number, to: number): RecordChange[] =>
    Array.from({ length: to - from }, (_, index) => ({
      kind: 'activity',
      denial: denialOf(token.id, { at: from + index }),
    }));
  store.write(({ apply }) => apply([...rows(0, 999), { kind: 'activity', denial: denialOf(other.id) }]));
  test.equal([...reader.queries.denialsOf(token.id)].length, 999);
  store.write(({ apply }) => apply(rows(999, 1005)));
  reader.renew();
  const kept = Array.from(reader.queries.denialsOf(token.id), ({ at }) => at);
  test.equal(kept.length, activityRowsMax);
  test.strictSame([kept.at(0), kept.at(1), kept.at(-1)], [1004, 1003, 5]);
  test.equal([...reader.queries.denialsOf(other.id)].length, 1);
});
