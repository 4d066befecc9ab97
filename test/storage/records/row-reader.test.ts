import { deepStrictEqual } from 'node:assert';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Packr } from 'msgpackr';
import t from 'tap';
import { packRow, unpackRow } from '../../../src/storage/records/record-codec.ts';
import { RowReader } from '../../../src/storage/records/row-reader.ts';
import { throwsA } from '../../support/expectations.ts';
import fc from '../../support/fast-check.ts';
import { nastyStrings } from '../support/records.ts';

const wholeNumbers = [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
const numbers = [
  ...wholeNumbers,
  ...wholeNumbers.map((number) => 0 - number),
  -32,
  -33,
  0.1,
  12.5,
  1e300,
  -1e-7,
];
const lengths = [0, 1, 15, 16, 31, 32, 64, 65, 255, 256, 65_535, 65_536];
const text = 'customer-0042@example.com ';

const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const anyText = fc.oneof(fc.constantFrom(...nastyStrings), fc.string({ unit: 'grapheme', maxLength: 300 }));
const anyNumber = fc.oneof(fc.constantFrom(...numbers), fc.integer(), fc.double({ noNaN: true }));
const { row: anyRow } = fc.letrec<{ row: unknown[]; field: unknown }>((tie) => ({
  row: fc.array(tie('field'), { maxLength: 20 }),
  field: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    ...[anyText, anyNumber, anyBytes, fc.boolean(), fc.constant(null), tie('row')],
  ),
}));

t.test('an unpacked row equals the packed one', async (test) => {
  fc.assert(
    fc.property(anyRow, (row) => deepStrictEqual(unpackRow(packRow(row)), row)),
    { numRuns: 1000 },
  );
  test.strictSame(unpackRow(packRow(numbers)), numbers);
  const many = Array.from({ length: 1000 }, (_, index) => `${index % 7 === 0 ? 'ü' : ''}${text}${index}`);
  test.strictSame(unpackRow(packRow(many)), many);
  const wrong = lengths.filter((length) => {
    const items = Array.from({ length }, (_, index) => index % 200);
    const row = ['x'.repeat(length), 'é'.repeat(length), Buffer.alloc(length, 7), items];
    return !isDeepStrictEqual(unpackRow(packRow(row)), row);
  });
  test.same(wrong, [], 'lengths of strings that were read wrongly');
});

t.test('a string is read the same at every place in memory', async (test) => {
  const row = ['ascii', 'übergröße', text, '\ufeffmarked', `\ufeff${'x'.repeat(100)}`];
  const packed = packRow(row);
  const within = Buffer.concat([Buffer.from('before'), packed, Buffer.from('after')]);
  test.strictSame(unpackRow(within.subarray(6, 6 + packed.length)), row);
});

t.test('a string that was skipped is read later, and what follows it at once', async (test) => {
  const begin = (row: readonly unknown[]): RowReader => {
    const reader = new RowReader(packRow(row));
    reader.enterArray();
    return reader;
  };
  for (const length of lengths) {
    const skipped = `${'é'.repeat(length)}${'x'.repeat(length)}`;
    const reader = begin([skipped, 'after']);
    const found = reader.passString();
    test.equal(reader.read(), 'after');
    reader.requireEnd();
    test.equal(found.toString(), skipped);
  }
  for (const other of [17, null, ['text'], Buffer.from('text')]) {
    test.throws(() => begin([other]).passString(), { message: 'a row of another form' });
  }
});

t.test('anything but one complete row is refused', async (test) => {
  const packed = packRow(['name', 17, [true, null], Buffer.from('bytes'), 12.5, 'x'.repeat(300)]);
  const accepted = Array.from({ length: packed.length }, (_, length) => length).filter(
    (length) => !throwsA(RangeError, () => unpackRow(packed.subarray(0, length))),
  );
  test.same(accepted, [], 'so many bytes of it');
  test.throws(() => unpackRow(Buffer.concat([packed, Buffer.of(0)])), { message: 'not exactly one row' });
  const foreign = new Packr({ useRecords: false });
  for (const value of ['text', 17, null]) {
    test.throws(() => unpackRow(foreign.pack(value)), { message: 'not exactly one row' }, `${value} alone`);
  }
  for (const value of [{ a: 1 }, new Date(0), 2n ** 60n, undefined]) {
    test.throws(() => packRow([value]), TypeError, `${value}`);
    test.throws(() => unpackRow(foreign.pack([value])), /with which no item of a row begins/, `${value}`);
  }
});

/** The first work of each thread that opens a store: lmdb loads msgpackr, and msgpackr its native part. */
const loadAgainAndAgain = `
  const { workerData, parentPort } = require('node:worker_threads');
  const load = require('node:module').createRequire(workerData);
  parentPort.postMessage('begun');
  const end = Date.now() + 2500;
  while (Date.now() < end) {
    for (const path of Object.keys(load.cache)) delete load.cache[path];
    load('msgpackr-extract');
  }
`;

t.test('a row is read rightly while other threads start', async (test) => {
  const times = Array.from({ length: 40 }, (_, index) => [1_763_800_000_000 + index * 997, text + index]);
  const packed = packRow(times);
  const expected = String(times);
  const worker = new Worker(loadAgainAndAgain, {
    eval: true,
    workerData: createRequire(import.meta.url).resolve('msgpackr'),
  });
  let isOver = false;
  const ended = once(worker, 'exit').finally(() => {
    isOver = true;
  });
  await once(worker, 'message');
  const read = (): string => {
    try {
      return String(unpackRow(packed));
    } catch (fault) {
      return String(fault);
    }
  };
  let reads = 0;
  const wrong: string[] = [];
  while (!isOver) {
    for (let turn = 0; turn < 200; turn += 1) {
      const found = read();
      reads += 1;
      if (found !== expected) wrong.push(found);
    }
    await setImmediate();
  }
  test.strictSame(await ended, [0], 'the thread has loaded the native part');
  test.equal(wrong.length, 0, `${wrong.length} of ${reads}, one of them: ${wrong[0]}`);
});
