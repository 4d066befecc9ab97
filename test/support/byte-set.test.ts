import t from 'tap';
import { packRow } from '../../src/storage/records/record-codec.ts';
import { RowReader } from '../../src/storage/records/row-reader.ts';
import { ByteSet, ListIndex } from '../../src/support/byte-set.ts';
import { type PackedList, packList } from '../../src/support/packed-list.ts';
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

t.test('a list has its values when scanned and when indexed, packed here and in a record', async (test) => {
  const property = fc.property(anyTexts, fc.array(anyText, { maxLength: 10 }), (values, others) => {
    const expected = new Set(values);
    for (const list of [packList(values), storedList(values)]) {
      if (list.count !== values.length) return false;
      const [set, index] = [new ByteSet(list), new ListIndex(list)];
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
      const set = new ByteSet(list);
      test.equal(set.has(Buffer.from(glued, 'latin1'), 0, 4), false);
      test.equal(set.has(list.bytes, list.start, list.start + 3), false);
    }
  }
});

t.test('a list of more than eight values is indexed from its fourth search on', async (test) => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `value-${index}`);
  const [short, long] = [new ByteSet(packList(values(8))), new ByteSet(packList(values(20_000)))];
  for (let search = 1; search <= 8; search += 1) {
    test.same([has(short, 'value-7'), has(long, 'value-19999')], [true, true]);
    test.same([short.isIndexed, long.isIndexed], [false, search > 3]);
  }
  test.same([has(short, 'value-8'), has(long, 'value-20000')], [false, false]);
});
