import t from 'tap';
import {
  codePointCount,
  cutAt,
  hasAtMostCodePoints,
  isWellFormed,
  toWellFormed,
} from '../../src/support/code-points.ts';
import fc from './fast-check.ts';

const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});
const text = fc.oneof(fc.string({ unit: 'binary' }), anyText);

t.test('lengths count code points', async () => {
  fc.assert(fc.property(text, (value) => codePointCount(value) === Array.from(value).length));
  fc.assert(
    fc.property(
      text,
      fc.nat(20),
      (value, max) => hasAtMostCodePoints(value, max) === Array.from(value).length <= max,
    ),
  );
});

t.test('a text is cut between code points, with an ellipsis', async (t) => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (value, max) => {
      const points = Array.from(value);
      const expected = points.length <= max ? value : `${points.slice(0, max).join('')}…`;
      return cutAt(value, max) === expected;
    }),
  );
  t.equal(cutAt('😀'.repeat(3), 2), '😀😀…');
});

t.test('a lone surrogate is found and replaced', async (t) => {
  t.ok(isWellFormed('a😀'));
  t.notOk(isWellFormed('a\ud83d'));
  t.notOk(isWellFormed('\ude00a'));
  t.equal(toWellFormed('a\ud83d😀\ude00'), 'a\ufffd😀\ufffd');
});
