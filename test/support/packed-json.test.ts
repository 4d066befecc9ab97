import t from 'tap';
import { jsonPieces } from '../../src/support/packed-json.ts';
import { packList } from '../../src/support/packed-list.ts';
import { joinPieces } from '../../src/support/text-pieces.ts';
import fc from './fast-check.ts';

/* A value with packed lists must give the same JSON bytes as with arrays. */

interface View {
  readonly name: string;
  readonly lists: Readonly<Record<string, readonly string[] | null>>;
}

function packed({ name, lists }: View) {
  const entries = Object.entries(lists).map(([key, list]) => [key, list === null ? null : packList(list)]);
  return { name, lists: Object.fromEntries(entries) };
}

/** Text that JSON escapes, text that it does not, and text like the placeholder of a list. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\\ud800',
    '"\\ud800"',
    '\u0000',
    '\u007f',
    '\u2028',
    'ä€😀',
    'x'.repeat(70_000),
  ),
);

t.test('any lists within any values', async (t) => {
  const view = fc.record({
    name: text,
    lists: fc.dictionary(text, fc.option(fc.array(text, { size: 'medium' }))),
  });
  fc.assert(
    fc.property(view, (it) => joinPieces(jsonPieces(packed(it))) === JSON.stringify(it)),
    { numRuns: 300 },
  );
  t.pass('the same');
});

t.test('a long list comes in pieces of some ten kilobytes', async (t) => {
  const list = Array.from({ length: 50_000 }, (_, index) => `customer-${index}`);
  const lengths: number[] = [];
  const pieces = jsonPieces({ list: packList(list), again: packList(list) });
  const copies = Array.from(pieces, (piece) => {
    lengths.push(piece.length);
    return Buffer.from(piece);
  });
  t.ok(Buffer.concat(copies).equals(Buffer.from(JSON.stringify({ list, again: list }))));
  t.ok(Math.max(...lengths) <= 32 * 1024, `${Math.max(...lengths)} bytes at most`);
  t.ok(lengths.length < 100, `${lengths.length} pieces`);
});
