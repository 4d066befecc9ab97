import t from 'tap';
import {
  isWithinQuotes,
  parseValues,
  tooLongValue,
  withEdits,
  withValues,
  writtenValue,
} from '../../src/console/parts/value-text.ts';

t.test('values are separated by lines or commas, and trimmed', async (t) => {
  t.strictSame(parseValues(' pro, team\r\n\nfree trial,,'), ['pro', 'team', 'free trial']);
  t.strictSame(parseValues(' \n , '), []);
});

t.test('text in quotes is one exact value', async (t) => {
  t.strictSame(parseValues('"Smith, Jane", " x " ,y'), ['Smith, Jane', ' x ', 'y']);
  t.strictSame(parseValues('"say ""hi""",""'), ['say "hi"', '']);
  t.strictSame(parseValues('"a\nb"\n"c"'), ['a\nb', 'c']);
});

t.test('a quote without an end, or within a value, is a character', async (t) => {
  t.strictSame(parseValues('5" pipe, "a, b'), ['5" pipe', '"a', 'b']);
  t.strictSame(parseValues('"a" b, c'), ['"a" b', 'c']);
});

t.test('a comma is part of a value while its quotes are open', async (t) => {
  t.strictSame(['"a', 'x, "a, b', '"a""', '"'].map(isWithinQuotes), [true, true, true, true]);
  t.strictSame(['a', '"a"', '"a" b', '5" pipe', ''].map(isWithinQuotes), [false, false, false, false, false]);
});

t.test('every value can be written', async (t) => {
  const values = ['pro', 'a,b', ' a', 'a\t', '"x', 'x"y', 'a\nb', 'say "hi", x', '', ' ', '"', '",'];
  for (const value of values) t.strictSame(parseValues(writtenValue(value)), [value]);
  t.strictSame(parseValues(values.map(writtenValue).join(', ')), values, 'also all in one line');
});

t.test('a long text of quotes, or with many unended ones, is read quickly', async (t) => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `"c${index}`);
  t.equal(parseValues(lines.join('\n')).length, lines.length);
  t.equal(parseValues('"'.repeat(100_001)).length, 1);
});

t.test('the length of a value is limited; an emoji is one character', async (t) => {
  t.equal(tooLongValue(['x'.repeat(256), '😀'.repeat(256)], 256), undefined);
  t.equal(tooLongValue(['x'.repeat(257)], 256), 'x'.repeat(257));
});

t.test('existing values stay in front, and no value is added twice', async (t) => {
  t.strictSame(withValues(['b', 'a'], ['a', 'c', 'c', 'A']), ['b', 'a', 'c', 'A']);
});

t.test("others' additions and removals meanwhile stay", async (t) => {
  const begun = ['a', 'b', 'c'];
  t.strictSame(withEdits(begun, begun, ['a', 'c', 'd']), ['a', 'c', 'd']);
  t.strictSame(withEdits(['a', 'b', 'c', 'theirs'], begun, ['a', 'c', 'mine']), ['a', 'c', 'theirs', 'mine']);
  t.strictSame(withEdits(['a', 'c'], begun, ['a', 'b', 'c', 'mine']), ['a', 'c', 'mine']);
  t.strictSame(withEdits(['theirs'], begun, []), ['theirs']);
});
