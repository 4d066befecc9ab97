import assert from 'node:assert/strict';
import t from 'tap';
import { positionOf, scanJson } from '../../src/support/json-scan.ts';
import {
  booleanOf,
  entriesOf,
  type JsonValue,
  jsonMembersOf,
  kindOf,
  numberOf,
  rootOf,
  stringItemsOf,
  stringOf,
} from '../../src/support/json-value.ts';
import fc from './fast-check.ts';

const deep = 1000;

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with a few characters changed, so that it is often almost right. */
const almostJson = fc
  .tuple(
    fc.json(),
    fc.array(
      fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\ \n\t0123456789.eE+-truefalsnu\u0000\u001fé😀')),
    ),
  )
  .map(([json, edits]) =>
    edits.reduce((text, [at, character]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + character + text.slice(place + (at % 2));
    }, json),
  );

const anyText = fc.oneof(almostJson, fc.string({ unit: 'binary' }));

/** Reads objects and scalars through the view, and arrays only as strings. */
function read(value: JsonValue): unknown {
  switch (kindOf(value)) {
    case 'object':
      return Object.fromEntries([...entriesOf(value)].map(([key, member]) => [key, read(member)]));
    case 'array':
      return [...stringItemsOf(value)];
    case 'string':
      return stringOf(value);
    case 'number':
      return numberOf(value);
    case 'boolean':
      return booleanOf(value);
    default:
      return null;
  }
}

/** The result that `read` must give for a parsed value. */
function reduced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'string' ? item : undefined));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, reduced(member)]));
}

t.test('the scan accepts exactly what JSON.parse accepts', async (t) => {
  fc.assert(
    fc.property(anyText, (text) => (scanJson(text, deep) === null) === parses(text)),
    { numRuns: 20_000 },
  );
  for (const text of [
    '01',
    '-',
    '1.',
    '.5',
    '1e',
    '+1',
    '-0',
    '1e+5',
    '"\\u12g4"',
    '"\\x"',
    '[1,]',
    '{"a":1,}',
  ])
    t.equal(scanJson(text, deep) === null, parses(text), text);
  for (const text of [
    '',
    ' ',
    'nul',
    'truex',
    '"\u001f"',
    '"\u2028"',
    '\ufeff{}',
    '{}{}',
    '\u00a01',
    '[1 2]',
  ])
    t.equal(scanJson(text, deep) === null, parses(text), encodeURIComponent(text));
});

t.test('reading a checked text gives the result of JSON.parse', async () => {
  fc.assert(
    fc.property(almostJson, (text) => {
      if (scanJson(text, deep) !== null) return;
      assert.deepStrictEqual(read(rootOf(text)), reduced(JSON.parse(text)));
    }),
    { numRuns: 2_000 },
  );
});

t.test('nesting is allowed up to the given depth', async (t) => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  t.equal(scanJson(nested(32), 32), null);
  t.match(scanJson(nested(33), 32), { kind: 'too-deep', offset: 32 });
  t.match(scanJson('{"a":'.repeat(33), 32), { kind: 'too-deep', offset: 32 * 5 });
  t.match(scanJson('{"a":'.repeat(100_000), 32), { kind: 'too-deep', message: /deeper than 32/ });
  t.equal(scanJson('[[],[],[]]', 2), null, 'depth counts open brackets, not closed ones');
});

t.test('a megabyte of brackets is refused where it becomes too deep, without reading on', async (t) => {
  const text = '['.repeat(1024 * 1024);
  const start = performance.now();
  t.match(scanJson(text, 32), { kind: 'too-deep', offset: 32 });
  t.ok(performance.now() - start < 100, 'JSON.parse takes twice as long');
});

t.test('a fault is reported where the text stops being JSON', async (t) => {
  const faultAt = (text: string) => scanJson(text, 32)?.offset;
  t.equal(faultAt('{"a" 1}'), 5);
  t.equal(faultAt('{"a":tru}'), 8);
  t.equal(faultAt('[1,2'), 4, 'the end of the text');
  t.equal(faultAt('"abc'), 4);
  t.equal(faultAt('{"a":1} x'), 8);
  t.equal(faultAt('{"a":01}'), 6);
  t.equal(faultAt('"\\q"'), 2);
  t.equal(scanJson('"a\\u00zz"', 32)?.offset, 6);
  t.equal(scanJson('"a\\u00zz"', 32)?.start, 2, 'where the escape begins');
});

t.test('a fault says what was expected', async (t) => {
  const messageOf = (text: string) => scanJson(text, 32)?.message;
  t.equal(messageOf('{"a" 1}'), 'unexpected character where ":" should be');
  t.equal(messageOf('{a: 1}'), 'unexpected character where a key in quotation marks should be');
  t.equal(messageOf('{"a": 1'), 'it ends where "," or "}" should be');
  t.equal(messageOf('[1 2]'), 'unexpected character where "," or "]" should be');
  t.equal(messageOf(''), 'it ends where a value should be');
  t.equal(messageOf('1 2'), 'unexpected character where the end of the document should be');
  t.equal(messageOf('1.'), 'it ends where a digit should be');
  t.equal(messageOf('tru'), 'it ends where true should be');
  t.equal(messageOf('"a'), 'it ends where the closing quotation mark should be');
  t.equal(messageOf('"\u0001"'), 'a control character stands in a string');
  const badEscape = 'unexpected character where an escape such as \\n or \\u00e9 should be';
  t.equal(messageOf('"\\x"'), badEscape);
  t.equal(messageOf('"\\u12'), badEscape);
});

t.test('a repeated key is a fault where keys must be unique', async (t) => {
  const fault = (text: string) => scanJson(text, 32, true);
  t.match(fault('{"a": 1, "é": {"a": 2}, "\\u0061": 3}'), {
    offset: 24,
    message: 'the key "a" is given twice',
  });
  t.equal(fault('[{"a": 1}, {"a": {"b": 1, "__proto__": 2}}]'), null);
  t.equal(scanJson('{"a": 1, "a": 2}', 32), null);
});

t.test('a position counts lines and code points from 1', async (t) => {
  t.strictSame(positionOf('abc', 0), { line: 1, column: 1 });
  t.strictSame(positionOf('a\nbc', 3), { line: 2, column: 2 });
  t.strictSame(positionOf('a\n', 2), { line: 2, column: 1 });
  t.strictSame(positionOf('😀😀x', 4), { line: 1, column: 3 });
  t.strictSame(positionOf('a\n\n\nb', 1), { line: 1, column: 2 });
});

t.test('members come in the order sent, also keys that look like numbers', async (t) => {
  const { listed, unlistedCount } = jsonMembersOf(
    rootOf('{"b":1,"2":2,"1":3,"b":4,"__proto__":5}'),
    () => true,
    0,
  );
  t.strictSame([...listed.keys()], ['b', '2', '1', '__proto__']);
  t.equal(numberOf(listed.get('b') as JsonValue), 4, 'the last value of a repeated key counts');
  t.equal(unlistedCount, 0);
});

t.test('unknown members beyond the limit are counted, known ones are always listed', async (t) => {
  const text = `{${Array.from({ length: 100 }, (_, index) => `"x${index}":0`).join()},"known":1,"x0":2,"x99":2}`;
  const { listed, unlistedCount } = jsonMembersOf(rootOf(text), (key) => key === 'known', 3);
  t.strictSame([...listed.keys()], ['x0', 'x1', 'x2', 'known']);
  t.equal(unlistedCount, 99);
});
