import t, { type Test } from 'tap';
import { contextParameters, EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import { assignOpenFeatureContext } from '../../../src/domain/evaluation/open-feature-context.ts';
import { readOfrepBody } from '../../../src/worker/ofrep/ofrep-body.ts';
import { PlainBodyReader } from '../../../src/worker/ofrep/plain-body.ts';
import fc from '../../support/fast-check.ts';

const [reader, plain, general] = [new PlainBodyReader(), new EvaluationContext(), new EvaluationContext()];

/** Everything that evaluation reads of a context, as bytes. */
function contentOf(context: EvaluationContext) {
  const bytes = (start: number, end: number) => Buffer.from(context.bytes).toString('latin1', start, end);
  const attributes = Array.from({ length: context.attributeCount }, (_unused, index) => [
    bytes(context.attributeNameStart(index), context.attributeNameEnd(index)),
    bytes(context.attributeValueStart(index), context.attributeValueEnd(index)),
  ]);
  return {
    // An empty targeting key is none; an empty environment is an unknown one.
    targetingKey: context.hasTargetingKey ? bytes(context.targetingKeyStart, context.targetingKeyEnd) : null,
    cohort: context.hasCohort ? bytes(context.cohortStart, context.cohortEnd) : null,
    furtherCohorts: context.furtherCohortCount,
    env: context.envStart < 0 ? null : bytes(context.envStart, context.envEnd),
    // JSON.parse puts names that are integers first; a rule looks at all.
    attributes: attributes.sort(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1)),
  };
}

/** @returns whether the body is plain. If it is, both ways read the same. */
function agree(t: Test, body: Uint8Array, environment: string | null): boolean {
  if (!reader.read(body, plain, environment)) return false;
  const read = readOfrepBody(body);
  if ('code' in read) throw new Error(`read as plain, and refused with ${read.code}: ${Buffer.from(body)}`);
  assignOpenFeatureContext(general, read.context, environment);
  t.strictSame(contentOf(plain), contentOf(general), String(Buffer.from(body)));
  return true;
}

const environments = fc.constantFrom(null, 'production');
const names = fc.oneof(fc.constantFrom(...contextParameters, 'plan', '7', '', '__proto__'), fc.string());
const values = fc.oneof(
  fc.string(),
  fc.constantFrom('', 'beta', 0, -0, 1e21, 0.5, true, false, null),
  fc.maxSafeInteger(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.string(), { maxLength: 2 }),
);

t.test('what is read as plain is read the same in the general way', async (t) => {
  let read = 0;
  const spaces = fc.constantFrom('', ' ', '\n\t', '\r\n ');
  // Texts of JSON by hand, because names may be repeated.
  const members = fc.array(fc.tuple(names, values), { maxLength: 20 });
  fc.assert(
    fc.property(members, spaces, environments, (given, space, environment) => {
      const texts = given.map(
        ([name, value]) => `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(value)}`,
      );
      const context = `{${texts.join(`${space},`)}${space}}`;
      if (
        agree(t, Buffer.from(`${space}{${space}"context"${space}:${context}${space}}${space}`), environment)
      )
        read += 1;
    }),
    { numRuns: 2000 },
  );
  t.ok(read > 50, `${read} bodies were plain`);
});

t.test('a body with any byte changed, left out or put in is read the same, or not as plain', async (t) => {
  const whole = Buffer.from(
    '{"context":{"targetingKey":"user-1","age":40,"beta":true,"cohort":"x","env":"dev"}}',
  );
  let read = 0;
  const changes = fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.constantFrom(0, 1, 2));
  fc.assert(
    fc.property(changes, environments, ([at, byte, kind], environment) => {
      const [before, after] = [whole.subarray(0, at), whole.subarray(kind === 2 ? at : at + 1)];
      const changed = Buffer.concat([before, kind === 0 ? Buffer.alloc(0) : Buffer.of(byte), after]);
      if (agree(t, changed, environment)) read += 1;
    }),
    { numRuns: 5000 },
  );
  t.ok(read > 50, `${read} bodies were plain`);
  for (let end = 0; end < whole.length; end += 1) {
    t.notOk(reader.read(whole.subarray(0, end), plain, null), `${end} bytes`);
  }
});

t.test('which bodies are plain', async (t) => {
  const isPlain = (text: string) => agree(t, Buffer.from(text), null);
  for (const text of [
    '{"context":{}}',
    '{"context":{"targetingKey":"user-1"}}',
    '{"context": {"targetingKey": "user-1", "age": 40, "depth": -3, "none": 0, "beta": false}}',
    '{"context":{"cohort":"","env":"","a":"","b":"\u007f"}}',
    '{"context":{"targetingKey":1234567890123456789,"a":-9007199254740993}}',
    `{"context":{"a":${'9'.repeat(400)}}}`,
  ]) {
    t.ok(isPlain(text), text);
  }
  const many = Array.from({ length: 17 }, (_unused, index) => `"a${index}":1`).join(',');
  for (const text of [
    '{}',
    '[]',
    '{"context":null}',
    '{"context":{"a":1,"a":2}}',
    '{"context":{"targetingKey":"a","targetingKey":"b"}}',
    '{"context":{"cohort":"a","cohort":""}}',
    '{"context":{"a":"\\n"}}',
    '{"context":{"a":"ü"}}',
    '{"context":{"a":1.0}}',
    '{"context":{"a":1e3}}',
    '{"context":{"a":-0}}',
    '{"context":{"a":01}}',
    '{"context":{"a":null}}',
    '{"context":{"a":["b"]}}',
    '{"context":{"a":truE}}',
    '{"context":{"a":1},"b":1}',
    '{"context":{"a":1}}x',
    '{"context":{"a":1,}}',
    `{"context":{${many}}}`,
    `{"context":{"a":"${'x'.repeat(4096)}"}}`,
  ]) {
    t.notOk(isPlain(text), text);
  }
});
