import t, { type Test } from 'tap';
import type { KeptAnswer } from '../../../src/domain/idempotency/kept-answer.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { idKey, sequenceKey } from '../../../src/storage/keys/key-parts.ts';
import { createDatabases, type Databases, openEnvironment } from '../../../src/storage/lmdb/environment.ts';
import { openStore } from '../../../src/storage/store.ts';
import { DamagedRecordError } from '../../../src/storage/store-error.ts';
import { openStoreReader } from '../../../src/storage/store-reader.ts';
import {
  keptAnswerAgeKey,
  keptAnswerKey,
  keptAnswerRecord,
  keptAnswersUsageRecord,
} from '../../../src/storage/tables/kept-answers.ts';
import { newId } from '../../../src/support/random-id.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { keptAnswerOf, tokenOf } from '../support/records.ts';
import { mapBytes, newStore, type SampleRecords, writeSample } from '../support/sample-store.ts';

const keep = (after: KeptAnswer) => ({ kind: 'kept-answer', before: null, after }) as const;
const forget = (before: KeptAnswer) => ({ kind: 'kept-answer', before, after: null }) as const;

t.test('answers are found by token and key, and listed by age', async (test) => {
  const { store, reader } = newStore(test);
  const token = tokenOf(newId());
  const other = tokenOf(token.projectId);
  const answers = [
    keptAnswerOf(token, { key: 'z', keptAt: 2 ** 40 }),
    keptAnswerOf(token, { key: 'x'.repeat(255), keptAt: 300 }),
    keptAnswerOf(other, { key: 'z', keptAt: 299, body: '{"name":"\u2028😀"}' }),
  ];
  store.write(({ apply }) => apply(answers.map(keep)));
  const { queries } = reader;
  for (const answer of answers) test.strictSame(queries.keptAnswer(answer.tokenId, answer.key), answer);
  test.same(
    Array.from(queries.keptAnswersOf(token.projectId), ({ keptAt }) => keptAt),
    [299, 300, 2 ** 40],
  );
  const heads = answers.map(({ projectId, tokenId, key, keptAt, bytes }) => ({
    ...{ projectId, tokenId, key, keptAt, bytes },
  }));
  test.strictSame([...queries.keptAnswersOf(token.projectId)], heads.reverse());
  const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
  test.strictSame(queries.keptAnswersUsage(token.projectId), { entries: 3, bytes });
});

t.test('a deleted answer leaves nothing, and the last one no usage record either', async (test) => {
  const { store, reader } = newStore(test);
  const token = tokenOf(newId());
  const [first, second] = [keptAnswerOf(token, { key: 'a' }), keptAnswerOf(token, { key: 'b' })];
  store.write(({ apply }) => apply([keep(first), keep(second)]));
  store.write(({ apply }) => apply([forget(first)]));
  test.equal(reader.queries.keptAnswer(token.id, 'a'), undefined);
  test.same(reader.queries.keptAnswersUsage(token.projectId), { entries: 1, bytes: second.bytes });
  store.write(({ apply }) => apply([forget(second)]));
  reader.renew();
  const counts = [...reader.counts()].filter(([name]) => name.startsWith('kept-answers'));
  test.same(
    counts.map(([, count]) => count),
    [0, 0, 0],
  );
});

t.test('projects with kept answers are visited in turn', async (test) => {
  const { store, reader } = newStore(test);
  const answers = Array.from({ length: 3 }, () => keptAnswerOf(tokenOf(newId())));
  store.write(({ apply }) => apply(answers.map(keep)));
  const ids = answers.map(({ projectId }) => projectId).sort();
  const seen: (string | undefined)[] = [];
  let at: string | null = null;
  for (let turn = 0; turn < 4; turn += 1) {
    const next = reader.queries.projectKeepingAnswers(at);
    seen.push(next);
    at = next ?? null;
  }
  test.same(seen, [...ids, undefined]);
});

t.test('an invalid id or key finds nothing, and is never stored', async (test) => {
  const { store, reader } = newStore(test);
  const { token, keptAnswer } = writeSample(store);
  for (const key of ['', 'a b', 'é', 'x'.repeat(256), 'x'.repeat(100_000), '\u0000']) {
    test.equal(reader.queries.keptAnswer(token.id, key), undefined);
    const wrong = { ...keptAnswer, key };
    test.throws(() => store.write(({ apply }) => apply([keep(wrong)])), /idempotency key/);
  }
  for (const id of ['', 'x', '\u0000'.repeat(20)]) {
    test.equal(reader.queries.keptAnswer(id, 'a'), undefined);
    test.same([...reader.queries.keptAnswersOf(id)], []);
    test.same(reader.queries.keptAnswersUsage(id), { entries: 0, bytes: 0 });
  }
});

t.test('a damaged answer is never returned', async (test) => {
  const directory = await damagedStore(test, (tables, { token, keptAnswer }) => {
    const key = keptAnswerKey(token.id, keptAnswer.key);
    const bytes = tables['kept-answers'].get(key) ?? Buffer.alloc(0);
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
    tables['kept-answers'].putSync(key, bytes);
  });
  const reader = openStoreReader({ directory, mapBytes });
  const [token] = [...reader.queries.projects()].flatMap(({ id }) => [...reader.queries.tokensOf(id)]);
  test.throws(() => reader.queries.keptAnswer(token?.id ?? '', 'run-1'), DamagedRecordError);
  await reader.close();
  test.match([...checkStore(directory)], [{ where: `kept-answers/${token?.id}run-1`, what: /checksum/ }]);
});

async function damagedStore(
  test: Test,
  damage: (tables: Databases, sample: SampleRecords) => void,
): Promise<string> {
  const directory = temporaryDirectory(test);
  const store = openStore({ directory, mapBytes });
  const sample = writeSample(store);
  await store.close();
  const root = openEnvironment({ directory, mapBytes, isReadOnly: false });
  damage(createDatabases(root), sample);
  await root.close();
  return directory;
}

type Damage = (tables: Databases, sample: SampleRecords) => void;

function finds(name: string, damage: Damage, expected: readonly RegExp[]): void {
  t.test(`check finds ${name}`, async (test) => {
    const directory = await damagedStore(test, damage);
    const found = Array.from(checkStore(directory), ({ where, what }) => `${where} ${what}`);
    test.equal(found.length, expected.length, found.join('\n'));
    for (const [index, pattern] of expected.entries()) test.match(found[index], pattern);
  });
}

function ageKeyOf({ projectId, keptAt, tokenId, key }: KeptAnswer): Buffer {
  return keptAnswerAgeKey(projectId, keptAt, tokenId, key);
}

finds(
  'an answer without its entry by age',
  (tables, { keptAnswer }) => tables['kept-answers-by-age'].removeSync(ageKeyOf(keptAnswer)),
  [
    /^kept-answers-by-age\/.* missing/,
    /^kept-answers-usage\/.* counts 1 answers of \d+ bytes, and there are 0 of 0/,
  ],
);

finds(
  'an entry by age without its answer',
  (tables, { token, keptAnswer }) =>
    tables['kept-answers'].removeSync(keptAnswerKey(token.id, keptAnswer.key)),
  [/^kept-answers-by-age\/.* names kept-answers\/\w{20}run-1, which is missing/],
);

finds(
  'an entry by age with a wrong size',
  (tables, { keptAnswer }) => tables['kept-answers-by-age'].putSync(ageKeyOf(keptAnswer), sequenceKey(1)),
  [/^kept-answers-by-age\/.* names another/, /^kept-answers-usage\/.* and there are 1 of 1$/],
);

finds(
  'a missing usage record',
  (tables, { project }) => tables['kept-answers-usage'].removeSync(idKey(project.id)),
  [/^kept-answers-usage\/\w{20} is missing, and there are 1 answers/],
);

finds(
  'a usage record of a project without kept answers',
  (tables) => {
    const key = idKey(newId());
    const bytes = keptAnswersUsageRecord.encode(key, { entries: 2, bytes: 2 });
    tables['kept-answers-usage'].putSync(key, bytes);
  },
  [/^kept-answers-usage\/\w{20} counts 2 answers of 2 bytes, and there are 0 of 0/],
);

finds(
  'an answer of another project than its token, under another key, and with an invalid hash',
  (tables, { token, keptAnswer }) => {
    const key = keptAnswerKey(token.id, keptAnswer.key);
    const wrong = { ...keptAnswer, projectId: newId(), key: 'run-2', requestHash: new Uint8Array(3) };
    tables['kept-answers'].putSync(key, keptAnswerRecord.encode(key, wrong));
  },
  [
    /^kept-answers-by-age\/.* missing/,
    /^kept-answers\/.* another key/,
    /^kept-answers\/.* projects\/.* missing/,
    /^kept-answers\/.* of another project/,
    /^kept-answers\/.* hash of 3 bytes/,
    /^kept-answers-by-age\/.* does not fit/,
  ],
);

t.test('check finds more than a project may keep', async (test) => {
  const { directory, store } = newStore(test);
  const { token } = writeSample(store);
  const more = Array.from({ length: 10_000 }, (_, index) => keep(keptAnswerOf(token, { key: `k${index}` })));
  store.write(({ apply }) => apply(more));
  test.match([...checkStore(directory)], [{ what: 'keeps more than a project may' }]);
});
