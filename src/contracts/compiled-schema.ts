import type { Static, TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
// Not typebox/compile, which imports its operations on values: every thread would load them.
import { Compile, type Validator } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { shown } from '../domain/problem-list.ts';
import { didYouMean } from '../support/closest-name.ts';

/** Enough errors to fill the list of problems, few enough to be quick. */
const defaultErrorsMax = 1000;

interface CheckedValue {
  /** The name of the whole value, such as `the request body`. */
  readonly name: string;
  /** Errors after which the check stops; a thousand unless given. */
  readonly errorsMax?: number;
}

/** A schema made ready for many values. */
export interface CompiledSchema<Schema extends TSchema> {
  isRight(value: unknown): value is Static<Schema>;
  /**
   * Finds the problems of a value: one sentence for each place, with its path and what is expected there.
   *
   * @returns an empty list for a valid value
   */
  problems(value: unknown, about: CheckedValue): string[];
}

/** Compiles with the first value: a thread starts with schemas that it may never need. */
export function compileSchema<Schema extends TSchema>(schema: Schema): CompiledSchema<Schema> {
  let compiled: Validator<Record<never, never>, Schema> | null = null;
  const prepare = (): Validator<Record<never, never>, Schema> => {
    compiled ??= Compile(schema);
    return compiled;
  };
  return {
    isRight: (value): value is Static<Schema> => prepare().Check(value),
    problems: (value, { name, errorsMax = defaultErrorsMax }) => {
      const validator = prepare();
      if (validator.Check(value)) return [];
      // This setting is per thread, and 8 by default.
      Settings.Set({ maxErrors: errorsMax });
      return problemsOf(schema, validator.Errors(value)[1], name);
    },
  };
}

/** The part of a problem after the path: `flags[3].tags must be an array of strings`. */
type Worded = { readonly wording: string };

/** @returns an annotation for a schema. Without one, the wording follows from the schema's shape. */
export function worded(wording: string): Worded {
  return { wording };
}

/** @returns the path `organisations[0].projects[1]` with one more step: a key or an index. */
export function stepInto(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  if (!/^[\w.-]+$/.test(step)) return `${path}[${JSON.stringify(shown(step))}]`;
  return path === '' ? shown(step) : `${path}.${shown(step)}`;
}

type Steps = readonly (string | number)[];

function problemsOf(schema: TSchema, errors: readonly TLocalizedValidationError[], name: string): string[] {
  const byPath = new Map<string, string>();
  for (const error of errors) {
    const steps = stepsOf(schema, error.instancePath);
    const path = steps.reduce<string>(stepInto, '');
    for (const [about, text] of sentencesOf(schema, error, steps, path, name))
      if (!byPath.has(about)) byPath.set(about, text);
  }
  return [...byPath.values()];
}

/** Sentences by path, so that no place is reported twice. */
function sentencesOf(
  schema: TSchema,
  error: TLocalizedValidationError,
  steps: Steps,
  path: string,
  name: string,
): (readonly [string, string])[] {
  switch (error.keyword) {
    case 'boolean': // of each field that `additionalProperties: false` refuses, before the error of the object
      return [[path, unknownField(schemaAt(schema, steps.slice(0, -1)), path, String(steps.at(-1)))]];
    case 'additionalProperties':
      return [];
    case 'required':
      return error.params.requiredProperties.map((key) => missingField(path, String(key)));
    default:
      return [[path, `${path === '' ? name : path} ${wordingOf(schemaAt(schema, steps))}`]];
  }
}

function unknownField(schema: TSchema, path: string, key: string): string {
  const known = 'properties' in schema ? Object.keys(Object(schema.properties)) : [];
  return `unknown field "${path}"${didYouMean(key, known).replace(/^; d/, ': d')}`;
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

/** The schema that applies to the value at these steps. */
function schemaAt(schema: TSchema, steps: Steps): TSchema {
  return steps.reduce<TSchema>(childSchema, schema);
}

/** Of a union, the branch that has properties or items: there is at most one. */
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

/** The parts of a JSON Schema that describe a valid value. */
interface Shape extends Partial<Worded> {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly minimum?: number;
}

/** The schema's own wording, or one from its shape: `must be an array of strings, or null`. */
function wordingOf(shape: Shape): string {
  return shape.wording ?? `must be ${nounOf(shape, 1)}`;
}

function nounOf(shape: Shape, count: 1 | 2): string {
  if (shape.anyOf !== undefined) return alternativesOf(shape.anyOf);
  if ('const' in shape) return JSON.stringify(shape.const);
  switch (shape.type) {
    case 'string':
      return count === 1 ? 'a string' : 'strings';
    case 'boolean':
      return count === 1 ? 'true or false' : 'booleans';
    case 'integer':
      return integerNoun(shape, count);
    case 'array':
      return `${count === 1 ? 'an array' : 'arrays'} of ${nounOf(shape.items ?? {}, 2)}`;
    case 'null':
      return 'null';
    default:
      return count === 1 ? 'an object' : 'objects';
  }
}

function integerNoun({ minimum }: Shape, count: 1 | 2): string {
  const noun = count === 1 ? 'a whole number' : 'whole numbers';
  return minimum === undefined ? noun : `${noun} of at least ${minimum}`;
}

function alternativesOf(shapes: readonly Shape[]): string {
  const nouns = shapes.map((shape) => nounOf(shape, 1));
  if (nouns.length === 1) return nouns[0] as string;
  return `${nouns.slice(0, -1).join(', ')} or ${nouns.at(-1)}`;
}
