import t from 'tap';
import { packRow } from '../../src/storage/records/record-codec.ts';
import { RowReader } from '../../src/storage/records/row-reader.ts';
import { ByteSet, ListIndex } from '../../src/support/byte-set.ts';
import { type PackedList, packList } from '../../src/support/packed-list.ts';
import type { SlicedWork } from '../../src/support/steps.ts';
import { nastyStrings } from '../storage/support/records.ts';
import fc from './fast-check.ts';

const anyText = fc.oneof(
  fc.constantFrom(...nastyStrings),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer({ min: 0, max: 30 }).map((index) => `customer-${index}`),
);
/** A list with duplicates, long enough for an index. */
const anyTexts = fc.array(anyText, { maxLength: 60, size: 'max' });

/** The list within a record, written by msgpackr with bytes before and after it. */
function storedList(values: readonly string[]): PackedList {
  const row = new RowReader(packRow(['before', values, 'after']));
  row.enterArray();
  row.readString();
  return row.passList();
}

function has(set: { has(bytes: Uint8Array, start: number, end: number): boolean }, text: string): boolean {
  const bytes = Buffer.from(`<${text}>`);
  return set.has(bytes, 1, bytes.length - 1);
}

function indexOf(list: PackedList): ListIndex {
  const index = new ListIndex(list);
  while (index.step());
  return index;
}

t.test('a list has its values when scanned and when indexed, packed here and in a record', async (test) => {
  const property = fc.property(anyTexts, fc.array(anyText, { maxLength: 10 }), (values, others) => {
    const expected = new Set(values);
    for (const list of [packList(values), storedList(values)]) {
      if (list.count !== values.length) return false;
      const [set, index] = [new ByteSet(list, null), indexOf(list)];
      for (const text of [...values, ...others, '', 'customer-', 'customer-1', 'customer-11']) {
        if (has(set, text) !== expected.has(text) || has(index, text) !== expected.has(text)) return false;
      }
    }
    return true;
  });
  test.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test('a value made of an entry and the beginning of the next is not in the list', async (test) => {
  for (const values of [['ab', 'cd'], Array.from({ length: 100 }, (_, index) => `v${index % 10}`)]) {
    for (const list of [packList(values), storedList(values)]) {
      const glued = Buffer.from(list.bytes.subarray(list.start + 1, list.start + 5)).toString('latin1');
      const set = new ByteSet(list, null);
      test.equal(set.has(Buffer.from(glued, 'latin1'), 0, 4), false);
      test.equal(set.has(list.bytes, list.start, list.start + 3), false);
    }
  }
});

t.test(
  'a long list requests an index after many scans, and again later if that was refused',
  async (test) => {
    const asked: SlicedWork[] = [];
    let isRoom = false;
    const queue = {
      add(work: SlicedWork) {
        asked.push(work);
        return isRoom;
      },
    };
    const short = new ByteSet(packList(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']), queue);
    const long = new ByteSet(packList(Array.from({ length: 9 }, (_, index) => `value-${index}`)), queue);
    for (let scan = 0; scan < 5; scan += 1) test.equal(has(short, 'h'), true);
    test.equal(asked.length, 0, 'a short list needs none');
    for (let scan = 1; scan < 16; scan += 1) has(long, 'value-8');
    test.equal(asked.length, 0, 'nor does a rarely used list');
    has(long, 'value-8');
    isRoom = true;
    has(long, 'value-8');
    has(long, 'value-8');
    test.same([asked.length, asked[0] === long, asked[1] === long], [2, true, true]);
    const before = long.sizeBytes;
    test.equal(long.step(), false);
    test.equal(long.isIndexed, true);
    test.equal(long.sizeBytes, before, 'the index was counted from the start');
    test.same([has(long, 'value-8'), has(long, 'value-9')], [true, false]);
  },
);

t.test('a request with many look-ups makes the index itself, some steps with each', async (test) => {
  const values = Array.from({ length: 20_000 }, (_, index) => `value-${index}`);
  const set = new ByteSet(packList(values), null);
  let asked = 0;
  const wrong: number[] = [];
  for (; !set.isIndexed; asked += 1) if (has(set, `value-${asked * 100}`) !== asked < 200) wrong.push(asked);
  test.same(wrong, []);
  test.ok(asked > 32 && asked < 60, `${asked} times`);
  test.same([has(set, 'value-19999'), has(set, 'value-20000'), set.step()], [true, false, false]);
});

t.test('an index is made in steps of at most 512 look-ups or 8 KiB, for any list', async (test) => {
  const texts = (count: number, textOf: (index: number) => string): string[] =>
    Array.from({ length: count }, (_, index) => textOf(index));
  const lists = {
    'short entries': texts(200_000, (index) => index.toString(36)),
    'long entries': texts(1000, (index) => `${'é'.repeat(500)}${index}`),
    duplicates: texts(100_000, () => 'the same'),
    'one long entry': ['x'.repeat(1_000_000), ...texts(20, (index) => `${index}`)],
  };
  for (const [name, values] of Object.entries(lists)) {
    const list = packList(values);
    const index = new ListIndex(list);
    let steps = 1;
    while (index.step()) steps += 1;
    test.equal(index.isRefused, false, name);
    const least = Math.min(list.count / 512, list.end / (8 * 1024 + 1_000_005));
    test.ok(steps >= least, `${name}: ${steps} steps for ${list.count} entries of ${list.end} bytes`);
    test.same([has(index, values[7] ?? ''), has(index, 'absent')], [true, false], name);
  }
});
