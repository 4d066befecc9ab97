import type { TSchema } from 'typebox';

/** What of a JSON Schema the console's bodies use. */
interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly minimum?: number;
}

/** @returns what is right, to follow the path of what is not: `must be an array of strings, or null` */
export function wordingOfShape(schema: TSchema): string {
  return `must be ${nounOf(schema as Shape, 1)}`;
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
