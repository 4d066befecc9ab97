import { deepStrictEqual } from 'node:assert';
import { getHeapSpaceStatistics } from 'node:v8';
import t from 'tap';
import { evaluableOf } from '../../src/domain/evaluation/evaluable-flag.ts';
import type { Flag, FlagState } from '../../src/domain/flag/flag.ts';
import { recordCodec, unpackRow } from '../../src/storage/records/record-codec.ts';
import { DamagedRecordError } from '../../src/storage/store-error.ts';
import { audienceRecord, skimAudience } from '../../src/storage/tables/audiences.ts';
import { flagRecord, skimFlag } from '../../src/storage/tables/flags.ts';
import { type PackedList, textLength, textStart } from '../../src/support/packed-list.ts';
import { throwsA } from '../support/expectations.ts';
import fc from '../support/fast-check.ts';
import { cutShort, flippedBits } from './support/damaged-bytes.ts';
import { audienceOf, flagChangeOf, flagOf, nastyStrings, projectOf } from './support/records.ts';
import { newStore } from './support/sample-store.ts';

const anyText = fc.oneof(fc.constantFrom(...nastyStrings), fc.string({ unit: 'grapheme', maxLength: 50 }));
const anyTexts = fc.array(anyText, { maxLength: 20 });
const anyState: fc.Arbitrary<FlagState> = fc.record({
  enabled: fc.boolean(),
  trafficPercentage: fc.nat({ max: 100 }),
  cohortOverride: fc.option(anyTexts),
  audienceId: fc.option(fc.constant('a'.repeat(20))),
});
const anyFlag: fc.Arbitrary<Flag> = fc
  .record({
    name: anyText,
    description: anyText,
    tags: anyTexts,
    cohorts: anyTexts,
    states: fc.array(fc.tuple(fc.nat({ max: 70_000 }), anyState), { maxLength: 12 }),
    updatedAt: fc.nat({ max: 2 ** 53 - 1 }),
  })
  .map(({ states, ...rest }) => flagOf('p'.repeat(20), { ...rest, states: new Map(states) }));

const id = 'f'.repeat(20);
const key = Buffer.from(id, 'latin1');

function textsOf({ bytes, start, end, count }: PackedList): string[] {
  const texts: string[] = [];
  for (let at = start; at < end; ) {
    const text = textStart(bytes, at);
    at = text + textLength(bytes, at);
    texts.push(Buffer.from(bytes.subarray(text, at)).toString());
  }
  if (texts.length !== count) throw new Error(`${count} entries are ${texts.length}`);
  return texts;
}

function plain(flag: ReturnType<typeof evaluableOf>): unknown {
  const states = Array.from(flag.states, ([number, state]) => {
    const { cohortOverride } = state;
    return [number, { ...state, cohortOverride: cohortOverride === null ? null : textsOf(cohortOverride) }];
  });
  return { ...flag, cohorts: textsOf(flag.cohorts), states };
}

t.test("a skimmed record has the flag's fields", async (test) => {
  const property = fc.property(anyFlag, (flag) => {
    const skimmed = skimFlag(key, flagRecord.encode(key, flag));
    deepStrictEqual(plain(skimmed), plain({ ...flag, ...evaluableOf(flag) }));
  });
  fc.assert(property, { numRuns: 300 });
  const rules = [
    { attribute: 'é', values: nastyStrings },
    { attribute: '__proto__', values: ['x'] },
  ];
  const skimmed = skimAudience(key, audienceRecord.encode(key, audienceOf('p'.repeat(20), { rules })));
  test.strictSame(
    skimmed.rules.map(({ attribute, values }) => ({ attribute, values: textsOf(values) })),
    rules,
  );
});

t.test('a record with any flipped bit, or under another key, is refused', async (test) => {
  const flag = flagOf('p'.repeat(20), { cohorts: ['a', 'b'.repeat(40)] });
  const bytes = flagRecord.encode(key, flag);
  const isAccepted = (damaged: Buffer): boolean => !throwsA(DamagedRecordError, () => skimFlag(key, damaged));
  test.same([...flippedBits(bytes)].filter(isAccepted), []);
  test.same([...cutShort(bytes)].filter(isAccepted), []);
  test.throws(() => skimFlag(Buffer.from('g'.repeat(20)), bytes), DamagedRecordError);
});

/** Adds the checksum of a flag's record to any row. */
const anyRow = recordCodec<readonly unknown[], readonly unknown[]>({
  database: 'flags',
  toRow: (row) => row,
  fromRow: (row) => row,
});

t.test('a row of another form is refused although its checksum is right', async (test) => {
  const good = unpackRow(flagRecord.encode(key, flagOf('p'.repeat(20), { cohorts: ['a', 'b'] })).subarray(4));
  const changed = (index: number, value: unknown): unknown[] =>
    good.map((it, at) => (at === index ? value : it));
  for (const row of [
    [],
    good.slice(0, 11),
    changed(0, 7),
    changed(7, 'text'),
    changed(7, null),
    changed(7, ['a', 7]),
    changed(7, ['a', ['b']]),
    changed(8, [[0, true, 50, null]]),
    changed(8, [[0, true, 50, [true], null]]),
    changed(8, null),
    changed(8, [[0, true, 50, ['c'], null, 'new']]),
    [...good, 'new'],
  ]) {
    const bytes = anyRow.encode(key, row);
    test.throws(() => skimFlag(key, bytes), DamagedRecordError, JSON.stringify(row));
  }
});

t.test('a flag that was read stays unchanged when the store changes', async (test) => {
  const { store, reader } = newStore(test);
  const project = projectOf('o'.repeat(20));
  const cohorts = (letter: string): string[] =>
    Array.from({ length: 45_000 }, (_, index) => `${letter}${index}`.padEnd(20, '-'));
  const flags = ['a', 'b'].map((letter) => flagOf(project.id, { name: letter, cohorts: cohorts(letter) }));
  store.write(({ apply }) =>
    apply([
      { kind: 'project', before: null, after: project },
      ...flags.map((flag) => flagChangeOf(null, flag)),
    ]),
  );
  reader.renew();
  const read = (id: string) => {
    const found = reader.evaluation.flag(id);
    return found?.read();
  };
  const before = flags.map(({ id }) => read(id));
  for (const [index, flag] of flags.entries()) {
    const after = { ...flag, cohorts: cohorts('c'), revision: 2 };
    store.write(({ apply }) => apply([flagChangeOf(flag, after)]));
    reader.renew();
    test.equal(textsOf(read(flag.id)?.cohorts as PackedList)[44_999], 'c44999'.padEnd(20, '-'));
    test.strictSame(textsOf(before[index]?.cohorts as PackedList), flag.cohorts);
  }
  test.same(
    Array.from(reader.evaluation.flagsOf(project.id), (found) => found.read().name),
    ['a', 'b'],
  );
  test.equal(reader.evaluation.flag('no id'), undefined);
  test.equal(reader.evaluation.flag('x'.repeat(20)), undefined);
});

function oldSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}

t.test('reading short flags leaves no garbage for a major collection', async (test) => {
  const { store, reader } = newStore(test);
  const project = projectOf('o'.repeat(20));
  const flag = flagOf(project.id, { cohorts: ['one', 'other'] });
  store.write(({ apply }) =>
    apply([{ kind: 'project', before: null, after: project }, flagChangeOf(null, flag)]),
  );
  const readOnce = (): void => {
    const found = reader.evaluation.flag(flag.id);
    if (found === undefined) throw new Error('the flag is there');
    found.read();
  };
  const reads = 5000;
  const growths: number[] = [];
  // A major collection in between would hide a round's garbage, and the first rounds include the optimiser's work.
  for (let round = 0; round < 8; round += 1) {
    const before = oldSpaceBytes();
    for (let read = 0; read < reads; read += 1) readOnce();
    growths.push((oldSpaceBytes() - before) / reads);
  }
  const sorted = growths.sort((one, other) => one - other);
  const median = sorted[sorted.length >> 1] ?? Number.NaN;
  test.ok(median < 32, `${median.toFixed(1)} bytes a read`);
});
