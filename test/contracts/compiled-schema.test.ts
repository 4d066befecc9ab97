import t from 'tap';
import { type TSchema, Type } from 'typebox';
import { compileSchema, stepInto, worded } from '../../src/contracts/compiled-schema.ts';
import { provisionDocumentSchema } from '../../src/contracts/provision/provision-document.ts';
import { consoleOperations } from '../../src/operations/console-operations.ts';
import fc from '../support/fast-check.ts';

const closed = { additionalProperties: false };
const whole = { name: 'the body' };

/** The problem of a value with one fault. */
function problemOf(schema: TSchema, value: unknown): string {
  return compileSchema(schema).problems(value, whole).join('; ');
}

t.test('a schema without its own wording is described by its shape', async (t) => {
  const shapes: readonly (readonly [TSchema, string])[] = [
    [Type.String(), 'a string'],
    [Type.Boolean(), 'true or false'],
    [Type.Integer(), 'a whole number'],
    [Type.Integer({ minimum: 1 }), 'a whole number of at least 1'],
    [Type.Null(), 'null'],
    [Type.Literal('on'), '"on"'],
    [Type.Object({}), 'an object'],
    [Type.Array(Type.String()), 'an array of strings'],
    [Type.Array(Type.Array(Type.Boolean())), 'an array of arrays of booleans'],
    [Type.Array(Type.Object({})), 'an array of objects'],
    [Type.Array(Type.Integer({ minimum: 0 })), 'an array of whole numbers of at least 0'],
    [Type.Union([Type.Array(Type.String()), Type.Null()]), 'an array of strings or null'],
    [Type.Union([Type.Literal(0), Type.Literal(30), Type.Literal(90)]), '0, 30 or 90'],
  ];
  for (const [schema, noun] of shapes) t.equal(problemOf(schema, -0.5), `the body must be ${noun}`);
});

t.test('its own wording takes precedence', async (t) => {
  t.equal(problemOf(Type.String(worded('must be a name')), 1), 'the body must be a name');
});

t.test('each place is reported once, with its path', async (t) => {
  const item = Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) }, closed);
  const check = compileSchema(
    Type.Object(
      {
        items: Type.Array(item),
        states: Type.Optional(Type.Record(Type.String(), item)),
      },
      closed,
    ),
  );
  const states = { 'a/b~c d': { name: 'x', size: 0.5 }, 'a.b': {} };
  t.strictSame(check.problems({ items: [{ name: 1, siz: 1 }, {}], states, '~/': 1 }, whole), [
    'unknown field "["~/"]"',
    'unknown field "items[0].siz": did you mean size?',
    'items[0].name must be a string',
    'items[1].name is required',
    'states["a/b~c d"].size must be a whole number',
    'states.a.b.name is required',
  ]);
});

t.test('path steps are shown unambiguously and shortened', async (t) => {
  t.equal(stepInto('a', 0), 'a[0]');
  t.equal(stepInto('', 'a'), 'a');
  t.equal(stepInto('a', 'b-c.d'), 'a.b-c.d');
  t.equal(stepInto('a', ''), 'a[""]');
  t.equal(stepInto('a', '\ud800 "'), 'a["\ufffd \\""]');
  t.equal(stepInto('', 'x'.repeat(100)), `${'x'.repeat(64)}…`);
});

t.test('a value is valid, or its problems are reported', async (t) => {
  const bodies = Object.values(consoleOperations).flatMap(({ body }): TSchema[] => (body ? [body] : []));
  const checks = [...bodies, provisionDocumentSchema].map(compileSchema);
  const key = fc.constantFrom('name', 'flags', 'states', 'rules', 'organisations', 'revision', 'a', '/', '');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, 1, 0.5, 'a', '\ud800'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.constantFrom(...checks), value, (check, sent) => {
      const problems = check.problems(sent, whole);
      return (problems.length === 0) === check.isRight(sent) && new Set(problems).size === problems.length;
    }),
    { numRuns: 5000 },
  );
  t.pass('for each');
});

t.test('a value with more errors than are collected has its problems reported too', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`x${index}`, 1]));
  const problems = compileSchema(Type.Object({}, closed)).problems(many, whole);
  t.equal(problems.length, 1000);
  t.strictSame(problems.slice(0, 2), ['unknown field "x0"', 'unknown field "x1"']);
});
