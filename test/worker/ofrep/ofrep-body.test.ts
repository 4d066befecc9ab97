import t from 'tap';
import { contextValuesMax } from '../../../src/domain/evaluation/query-fault.ts';
import { ofrepBodyBytesMax, type ReadContext, readOfrepBody } from '../../../src/worker/ofrep/ofrep-body.ts';
import fc from '../../support/fast-check.ts';

function read(text: string): ReadContext {
  return readOfrepBody(Buffer.from(text));
}

function codeOf(read: ReadContext): string | null {
  return 'code' in read ? read.code : null;
}

/** White space so long that the body is scanned and not parsed whole. */
const padding = ' '.repeat(5000);

t.test('a long body is read like a short one', async (t) => {
  const scalar = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null));
  const flat = fc.oneof(scalar, fc.array(scalar, { maxLength: 5 }));
  const name = fc.string({ unit: 'binary' });
  const extra = fc.constantFrom('', '"other":[{}],', '"context":7,');
  fc.assert(
    fc.property(fc.dictionary(name, flat), extra, (context, before) => {
      const text = `{${before}"context":${JSON.stringify(context)}}`;
      const [short, long] = [read(text), read(padding + text)];
      t.same(long, short);
      t.equal(codeOf(short), null);
    }),
    { numRuns: 100 },
  );
  const repeated = '{"context":{"a":1,"b":2,"a":[3,"x",true,null],"__proto__":"p"}}';
  t.strictSame(read(padding + repeated), read(repeated));
  t.same(
    (read(repeated) as { context: { a: unknown } }).context.a,
    [3, 'x', true, null],
    'the last one counts',
  );
});

t.test('whole numbers keep their digits, in short and long bodies', async (t) => {
  const text =
    '{"context":{"targetingKey":1234567890123456789,"ids":[-9007199254740993,7,1.5e3],"text":"9007199254740993"}}';
  const { context } = read(text) as { context: Record<string, unknown> };
  t.strictSame(context, {
    ...{ targetingKey: '1234567890123456789', ids: ['-9007199254740993', 7, 1500], text: '9007199254740993' },
  });
  t.strictSame(read(padding + text), read(text));
});

t.test('a targetingKey that is an object or a list is refused', async (t) => {
  for (const key of ['{}', '[]', '["u1"]', '{"id":1}']) {
    for (const before of ['', padding]) {
      t.equal(codeOf(read(`${before}{"context":{"targetingKey":${key}}}`)), 'INVALID_CONTEXT', key);
      t.equal(codeOf(read(`${before}{"context":{"targetingKey":${key},"targetingKey":"u1"}}`)), null);
    }
  }
});

t.test('any bytes give a context or a documented error', async (t) => {
  const codes = new Set<string | null>();
  const json = fc.json();
  const withContext = json.map((text) => `{"context":${text}}`);
  const texts = fc.oneof(json, withContext).map((text) => Buffer.from(text));
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 64 }), texts);
  fc.assert(
    fc.property(bytes, fc.boolean(), (body, isLong) => {
      const result = readOfrepBody(Buffer.concat([Buffer.from(isLong ? padding : ''), body]));
      codes.add(codeOf(result));
    }),
    { numRuns: 1500 },
  );
  const broken = fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
    const whole = Buffer.from('{"context":{"targetingKey":"ü€","list":["a",{"b":[1]}]}}');
    whole[at % whole.length] = byte;
    return whole;
  });
  fc.assert(
    fc.property(broken, fc.boolean(), (body, isLong) => {
      const [short, long] = [readOfrepBody(body), readOfrepBody(Buffer.concat([Buffer.from(padding), body]))];
      t.equal(codeOf(long), codeOf(short));
      codes.add(codeOf(isLong ? long : short));
    }),
    { numRuns: 500 },
  );
  t.same([...codes].sort(), ['INVALID_CONTEXT', 'PARSE_ERROR', null]);
});

t.test('bytes that are not UTF-8 are no JSON', async (t) => {
  const invalid = Buffer.from('{"context":{"a":"x"}}');
  for (const byte of [0x80, 0xc0, 0xff]) {
    invalid[invalid.indexOf('x')] = byte;
    t.equal(codeOf(readOfrepBody(invalid)), 'PARSE_ERROR');
    invalid[invalid.indexOf(byte)] = 'x'.charCodeAt(0);
  }
});

t.test('a body of small objects or of brackets is never made', async (t) => {
  const filled = (piece: string, separator: string) => {
    const count = Math.floor(ofrepBodyBytesMax / (piece.length + separator.length)) - 8;
    return Array.from({ length: count }, () => piece).join(separator);
  };
  const half = '['.repeat(30_000) + ']'.repeat(30_000);
  t.equal(codeOf(read(`{"context":{"a":${half}}}`)), 'INVALID_CONTEXT', 'too deep');
  t.equal(codeOf(read(`{"context":{"a":[${filled('{}', ',')}],"b":1}}`)), 'INVALID_CONTEXT');
  const few = Array.from({ length: contextValuesMax }, (_, index) => `"${index}":{"x":"${'x'.repeat(200)}"}`);
  t.same(read(`{"context":{${few.join(',')}}}`), {
    context: Object.fromEntries(few.map((_, index) => [index, null])),
  });
});

t.test('a context has so many values, in one list or in several', async (t) => {
  const ones = (count: number): number[] => new Array(count).fill(1);
  const codeOfContext = (context: object): string | null => codeOf(read(JSON.stringify({ context })));
  t.equal(codeOfContext({ a: ones(contextValuesMax) }), null);
  t.equal(codeOfContext({ a: ones(contextValuesMax + 1) }), 'INVALID_CONTEXT');
  t.equal(codeOfContext({ a: ones(contextValuesMax), cohort: 'b' }), 'INVALID_CONTEXT');
  t.equal(codeOfContext({ a: ones(contextValuesMax - 3), b: null, c: [{}, null] }), null);
  t.equal(
    codeOfContext({ a: ones(contextValuesMax - 2), b: null, c: [{}, null] }),
    'INVALID_CONTEXT',
    'what is of no use counts, too',
  );
});
