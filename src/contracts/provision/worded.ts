import { type TRefine, type TSchema, type TString, Type } from 'typebox';
import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';

/** How a schema's refusal is told; it follows the path: `flags[3].tags must be an array of strings`. */
type Worded = { readonly wording: string };

/** @returns the annotation of a schema that says what is right, to be followed by the path of what is not. */
export function worded(wording: string): Worded {
  return { wording };
}

/** @returns the wording of a schema, if it has one. */
export function wordingOf(schema: TSchema): string | undefined {
  return 'wording' in schema && typeof schema.wording === 'string' ? schema.wording : undefined;
}

/** A string for which `isRight`; never one with half a surrogate pair, which UTF-8 cannot hold. */
export function textSchema(wording: string, isRight: (text: string) => boolean): TRefine<TString> {
  return Type.Refine(Type.String(worded(wording)), (text) => isRight(text) && isWellFormed(text));
}

/** A string of so many code points. */
export function sizedTextSchema(min: number, max: number): TRefine<TString> {
  const size = min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`;
  const isSized = (text: string): boolean => hasAtMostCodePoints(text, max) && text.length >= min;
  return textSchema(`must be a string of ${size}`, isSized);
}
