import t from 'tap';
import { contextParameters, EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import { assignPlain } from '../../../src/domain/evaluation/plain-context.ts';
import { contextValuesMax, describeQueryFault } from '../../../src/domain/evaluation/query-fault.ts';
import fc from '../../support/fast-check.ts';

const encoder = new TextEncoder();
const context = new EvaluationContext();

interface Decoded {
  readonly parameters: Readonly<Record<string, string>>;
  readonly attributes: readonly (readonly [string, string])[];
}

function text(start: number, end: number): string {
  return Buffer.from(context.bytes.subarray(start, end)).toString('utf8');
}

/** The result of the decoder under test: the fault, or all that it found. */
function decode(query: Uint8Array): string | Decoded {
  const fault = context.decode(Buffer.from(query).toString('latin1'));
  if (fault !== null) return fault;
  const parameters: Record<string, string> = {};
  if (context.targetingKeyStart >= 0) {
    parameters['targetingKey'] = text(context.targetingKeyStart, context.targetingKeyEnd);
  }
  if (context.cohortStart >= 0) parameters['cohort'] = text(context.cohortStart, context.cohortEnd);
  if (context.envStart >= 0) parameters['env'] = text(context.envStart, context.envEnd);
  const attributes = Array.from({ length: context.attributeCount }, (_unused, index) => {
    const nameEnd = context.attributeNameEnd(index);
    return [
      text(context.attributeNameStart(index), nameEnd),
      text(context.attributeValueStart(index), context.attributeValueEnd(index)),
    ] as const;
  });
  return { parameters, attributes };
}

/** The reference implementation, with `split`, `decodeURIComponent` and maps. */
function decodeReference(query: Uint8Array): string | Decoded {
  const parameters = new Map<string, string>();
  const attributes: (readonly [string, string])[] = [];
  for (const piece of Buffer.from(query).toString('latin1').split('&')) {
    if (piece === '' || piece === '=') continue;
    const equals = piece.indexOf('=');
    const rawName = equals < 0 ? piece : piece.slice(0, equals);
    const rawValue = equals < 0 ? '' : piece.slice(equals + 1);
    const malformed = /%(?![0-9a-fA-F]{2})/.exec(rawName + (equals < 0 ? '' : '=') + rawValue);
    const raw = /[\u007f-\uffff]/.exec(rawName + (equals < 0 ? '' : '=') + rawValue);
    if (malformed !== null && (raw === null || malformed.index < raw.index)) return 'malformed-escape';
    if (raw !== null) return 'raw-character';
    let [name, value] = ['', ''];
    try {
      [name, value] = [decodeURIComponent(rawName), decodeURIComponent(rawValue)];
    } catch {
      return 'invalid-utf8';
    }
    if (name !== 'targetingKey' && name !== 'cohort' && name !== 'env') attributes.push([name, value]);
    else if (parameters.has(name)) return 'repeated';
    else if (name === 'cohort' && rawValue.includes('+')) return 'raw-plus-in-cohort';
    else parameters.set(name, value);
  }
  const inOrder = contextParameters.filter((name) => parameters.has(name));
  return {
    parameters: Object.fromEntries(inOrder.map((name) => [name, parameters.get(name) ?? ''])),
    attributes,
  };
}

const pieces = fc.constantFrom(
  ...[
    'targetingKey',
    'cohort',
    'env',
    'plan',
    '=',
    '=',
    '&',
    '&',
    '%',
    '+',
    'a',
    '%2B',
    '%41',
    '%zz',
    '%C3%A9',
  ],
  ...[
    '%F0%9F%98%80',
    '%ED%A0%80',
    '%C0%80',
    '%80',
    '%',
    '%4',
    '%00',
    'é',
    '\x7f',
    '%25',
    '%26',
    '%3D',
    'x=y',
  ],
);

t.test('the decoder agrees with a plain reference on 200,000 random byte strings', async (t) => {
  const words = fc.array(pieces, { maxLength: 12 }).map((parts) => Buffer.from(parts.join(''), 'latin1'));
  const bytes = fc.uint8Array({ maxLength: 24 });
  let count = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: words }, bytes), (query) => {
      count += 1;
      const [actual, expected] = [decode(query), decodeReference(query)];
      return JSON.stringify(actual) === JSON.stringify(expected);
    }),
    { numRuns: 200_000 },
  );
  t.equal(count, 200_000);
});

t.test('a query longer than the first buffer is decoded completely', async (t) => {
  const value = 'v'.repeat(40_000);
  const decoded = decode(encoder.encode(`plan=${value}&targetingKey=k`));
  t.same(decoded, { parameters: { targetingKey: 'k' }, attributes: [['plan', value]] });
});

t.test('as many values of attributes as are allowed are kept, and one more is a fault', async (t) => {
  const names = Array.from({ length: contextValuesMax }, (_unused, index) => `a${index}`);
  const query = names.map((name) => `${name}=1`).join('&');
  t.same(decode(encoder.encode(query)), { parameters: {}, attributes: names.map((name) => [name, '1']) });
  t.equal(decode(encoder.encode(`${query}&a0=2`)), 'too-many-values');
  t.match(
    describeQueryFault('too-many-values', 'a0'),
    /^The query parameter "a0" is one value of attributes too many: 256/,
  );
});

t.test('an empty key or cohort counts as absent; an empty env counts as given', async (t) => {
  decode(encoder.encode('targetingKey=&cohort=&env='));
  t.notOk(context.hasTargetingKey);
  t.notOk(context.hasCohort);
  t.ok(context.envStart >= 0);
});

t.test('a context built by a program reads like one from a query', async (t) => {
  const plain = { targetingKey: 'ключ', cohort: 'a+b', env: 'é' } as const;
  assignPlain(context, {
    ...plain,
    attributes: [
      ['plan', 'pro'],
      ['cohort', 'it is never an attribute'],
    ],
  });
  const assigned = {
    targetingKey: text(context.targetingKeyStart, context.targetingKeyEnd),
    cohort: text(context.cohortStart, context.cohortEnd),
    env: text(context.envStart, context.envEnd),
  };
  t.same(assigned, plain);
  t.equal(context.attributeCount, 1);
});

t.test('a fault names the parameter and the fix', async (t) => {
  const fault = context.decode('cohort=a+b');
  t.equal(fault, 'raw-plus-in-cohort');
  const sentence = describeQueryFault('raw-plus-in-cohort', context.faultyParameter);
  t.match(sentence, /"cohort".*%2B.*%20/s);
  t.ok(describeQueryFault('repeated', 'x'.repeat(1000)).length < 200, 'a long name is cut');
});
