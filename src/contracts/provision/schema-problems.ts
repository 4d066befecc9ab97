import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import { didYouMean } from '../../support/closest-name.ts';
import { stepInto } from './provision-paths.ts';
import { wordingOf } from './worded.ts';

type Steps = readonly (string | number)[];

/** How a check speaks: of the whole value, and of what a schema without a wording of its own allows. */
export interface ProblemWords {
  readonly root: string;
  wordingOf(schema: TSchema): string;
}

const documentWords: ProblemWords = {
  root: 'the document',
  wordingOf: (schema) => wordingOf(schema) ?? 'is not allowed',
};

/**
 * Tells typebox's errors in our words: each with the path of what is wrong, one sentence for one place, and the wording
 * that the schema carries.
 *
 * @param base the path of the checked value; an index of its first level counts from `firstIndex`.
 */
export function describeSchemaErrors(
  schema: TSchema,
  errors: readonly TLocalizedValidationError[],
  base: string,
  firstIndex = 0,
  words: ProblemWords = documentWords,
): string[] {
  const told = new Map<string, string>();
  for (const error of errors) {
    const steps = stepsOf(schema, error.instancePath);
    const path = steps.reduce<string>(
      (to, step, depth) => stepInto(to, typeof step === 'number' && depth === 0 ? step + firstIndex : step),
      base,
    );
    for (const [key, text] of sentencesOf(schema, error, steps, path, words))
      if (!told.has(key)) told.set(key, text);
  }
  return [...told.values()];
}

/** Each sentence with what it is about, so that nothing is told twice. */
function sentencesOf(
  schema: TSchema,
  error: TLocalizedValidationError,
  steps: Steps,
  path: string,
  words: ProblemWords,
): (readonly [string, string])[] {
  const here = schemaAt(schema, steps);
  switch (error.keyword) {
    case 'boolean': // `additionalProperties` tells the same
      return [];
    case 'additionalProperties':
      return error.params.additionalProperties.map((key) => unknownField(here, path, String(key)));
    case 'required':
      return error.params.requiredProperties.map((key) => missingField(path, String(key)));
    default:
      return [[path, `${path === '' ? words.root : path} ${words.wordingOf(here)}`]];
  }
}

function unknownField(schema: TSchema, path: string, key: string): readonly [string, string] {
  const at = stepInto(path, key);
  const known = 'properties' in schema ? Object.keys(Object(schema.properties)) : [];
  return [at, `unknown field "${at}"${didYouMean(key, known).replace(/^; d/, ': d')}`];
}

function missingField(path: string, key: string): readonly [string, string] {
  const at = stepInto(path, key);
  return [at, `${at} is required`];
}

/** JSON Pointer (RFC 6901) to steps; a step into an array becomes a number. */
function stepsOf(schema: TSchema, pointer: string): Steps {
  const parts = pointer.split('/').slice(1);
  const steps: (string | number)[] = [];
  for (const part of parts) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    steps.push('items' in branchOf(schemaAt(schema, steps)) ? Number(key) : key);
  }
  return steps;
}

/** The schema that a value at these steps is held against. */
function schemaAt(schema: TSchema, steps: Steps): TSchema {
  return steps.reduce<TSchema>(childSchema, schema);
}

/** Of a union, the branch that has something inside: there is one at most. */
function branchOf(schema: TSchema): TSchema {
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return schema;
  const branches = schema.anyOf as TSchema[];
  const inner = branches.find((branch) => 'items' in branch || 'properties' in branch);
  return inner ?? schema;
}

function childSchema(schema: TSchema, step: string | number): TSchema {
  const parts = branchOf(schema) as { items?: TSchema; properties?: object; patternProperties?: object };
  if (typeof step === 'number') return parts.items ?? {};
  const { properties = {}, patternProperties = {} } = parts;
  if (Object.hasOwn(properties, step))
    return Object(Object.entries(properties).find(([key]) => key === step)?.[1]);
  return Object(Object.values(patternProperties)[0] ?? {});
}
