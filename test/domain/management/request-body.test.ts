import t from 'tap';
import { parseBody } from '../../../src/domain/management/request-body.ts';
import fc from '../../support/fast-check.ts';

const encoder = new TextEncoder();
const parse = (text: string) => parseBody(encoder.encode(text));

t.test('no body, an empty one and white space alone are empty', async (t) => {
  t.strictSame(parseBody(null), { kind: 'empty' });
  t.strictSame(parse(''), { kind: 'empty' });
  t.strictSame(parse(' \r\n\t'), { kind: 'empty' });
});

t.test('the problem of a body is reported with its place', async (t) => {
  const problems: [string, string][] = [
    ['{"a":1', 'the request body is not valid JSON: it ends at line 1, column 7'],
    ['{"a":tru}', 'the request body is not valid JSON: "}" is unexpected at line 1, column 9'],
    ['{\n  "ä": 1,\n}', 'the request body is not valid JSON: "}" is unexpected at line 3, column 1'],
    ['{"a":"\n"}', 'the request body is not valid JSON: U+000A is unexpected at line 1, column 7'],
    ['\ufeff{}', 'the request body is not valid JSON: U+FEFF is unexpected at line 1, column 1'],
    ['[]', 'the request body must be a JSON object, and it is an array'],
    ['null', 'the request body must be a JSON object, and it is null'],
    ['"x"', 'the request body must be a JSON object, and it is a string'],
    ['-0', 'the request body must be a JSON object, and it is a number'],
    ['true', 'the request body must be a JSON object, and it is a boolean'],
    [
      '['.repeat(100_000),
      'the request body nests arrays and objects deeper than 32 levels at line 1, column 33',
    ],
  ];
  for (const [text, problem] of problems) t.strictSame(parse(text), { kind: 'unreadable', problem }, problem);
  const notUtf8 = parseBody(Uint8Array.of(0x22, 0xff, 0x22));
  t.strictSame(notUtf8, { kind: 'unreadable', problem: 'the request body is not valid UTF-8' });
});

t.test('32 levels are read, and every key becomes an own property', async (t) => {
  const text = `{"__proto__":${'['.repeat(31)}${']'.repeat(31)},"constructor":1}`;
  const body = parse(text);
  t.equal(body.kind, 'object');
  if (body.kind === 'object') t.strictSame([...body.members.listed.keys()], ['__proto__', 'constructor']);
});

t.test('no bytes crash the reader', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      return ['object', 'empty', 'unreadable'].includes(parseBody(bytes).kind);
    }),
    { numRuns: 2000 },
  );
});
