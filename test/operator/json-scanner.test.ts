import t from 'tap';
import { JsonFault, JsonScanner, lineAndColumn } from '../../src/operator/json-scanner.ts';
import fc from '../support/fast-check.ts';

const encoder = new TextEncoder();

function faultOf(text: string): JsonFault | null {
  try {
    const scanner = new JsonScanner(encoder.encode(text));
    scanner.value();
    scanner.end();
    return null;
  } catch (error) {
    if (error instanceof JsonFault) return error;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

t.test('whatever JSON.parse takes is passed over', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => faultOf(text) === null),
      { numRuns: 2000 },
    ),
  );
});

t.test('it refuses exactly what JSON.parse refuses, one edit away from JSON', async (t) => {
  const edit = fc.tuple(
    fc.json({ maxDepth: 3 }),
    fc.nat(),
    fc.constantFrom(...'{}[]",:\\0-+.eEtfnu \u0001é'),
  );
  const agrees = fc.property(edit, ([text, position, letter]) => {
    const at = position % (text.length + 1);
    const edited = text.slice(0, at) + letter + text.slice(at + (position % 2));
    return (faultOf(edited) === null) === isJson(edited);
  });
  t.doesNotThrow(() => fc.assert(agrees, { numRuns: 20_000 }));
});

t.test('numbers, escapes and literals at their edges', async (t) => {
  const texts = [
    '-0',
    '01',
    '1.',
    '.5',
    '1e5',
    '1E+',
    '-',
    'tru',
    'nulll',
    '"\\u00zz"',
    '"\\x"',
    '"\u0001"',
    '',
    ' ',
    '1 2',
  ];
  for (const text of texts) t.equal(faultOf(text) === null, isJson(text), JSON.stringify(text));
});

t.test('nesting is bounded, so no document can exhaust the stack', async (t) => {
  t.equal(faultOf('['.repeat(32) + ']'.repeat(32)), null);
  t.match(faultOf('['.repeat(33) + ']'.repeat(33)), { message: /deeper than 32/, offset: 32 });
  t.match(faultOf('{"a":'.repeat(100_000)), { message: /deeper than 32/ });
});

t.test('keys are decoded, values and items keep their ranges', async (t) => {
  const text = '{"\\u0061": [1, {"b": 2}], "__proto__": "é"}';
  const bytes = encoder.encode(text);
  const scanner = new JsonScanner(bytes);
  const seen: [string, string][] = [];
  scanner.object((key) => {
    const { start, end } = scanner.value();
    seen.push([key, new TextDecoder().decode(bytes.subarray(start, end))]);
  });
  t.strictSame(seen, [
    ['a', '[1, {"b": 2}]'],
    ['__proto__', '"é"'],
  ]);
});

t.test('a fault has a line and a column', async (t) => {
  const text = '{\n  "é": 1,\n  "é" 2\n}';
  const fault = faultOf(text);
  t.equal(fault?.message, 'unexpected character where ":" should be');
  t.strictSame(lineAndColumn(encoder.encode(text), fault?.offset ?? 0), { line: 3, column: 7 });
});
