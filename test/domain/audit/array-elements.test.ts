import t from 'tap';
import { arrayElements } from '../../../src/domain/audit/array-elements.ts';

function elements(text: string, start = 0): string[] {
  const json = Buffer.from(text);
  const found = [...arrayElements(json, start)].filter((element) => element !== null);
  return found.map((element) => json.toString('utf8', element.start, element.end));
}

t.test('the elements of an array are found, of every kind', async (t) => {
  const values: unknown[] = [
    [],
    [''],
    ['a', 'b'],
    ['"', '\\', '\\"', '"\\', '\\\\', ']', '[', ',', '}{', '\u2028', '😀', '\n'],
    [1, -1.5e21, true, false, null],
    [[], {}, [[]], [{}], { a: [1, 2], 'b"]': '[', c: { d: '\\' } }],
    [[['x', ['y', 'z']], 'q'], 'r'],
  ];
  for (const value of values) {
    const text = JSON.stringify(value);
    t.strictSame(
      elements(text).map((element) => JSON.parse(element)),
      value,
    );
    t.strictSame(elements(`${text},1]`), elements(text), 'text after the array is not read');
    t.strictSame(elements(`[${text}]`, 1), elements(text), 'nor text before it');
  }
});

t.test('the search ends in an incomplete text too', async (t) => {
  for (const text of ['[', '["', '["a', '["a"', '["a",', '["\\"', '[[', '{"a":['])
    t.ok(elements(text).length <= 1);
});

t.test('a long array is read with pauses for other work', async (t) => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => `item ${at}`));
  const found = [...arrayElements(Buffer.from(text), 0)];
  t.equal(elements(text).length, 50_000);
  const stretches = [0];
  for (const element of found) {
    if (element === null) stretches.push(0);
    else stretches.push((stretches.pop() ?? 0) + element.end - element.start);
  }
  t.ok(stretches.length > 10 && Math.max(...stretches) <= 16 * 1024, 'of bytes between two pauses');
  const nested = [...arrayElements(Buffer.from(`[${text}]`), 0)];
  t.ok(nested.length > 10, 'also within one element');
});
