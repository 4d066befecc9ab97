import { type TRefine, type TString, Type } from 'typebox';
import { nameCodePointsMax } from '../../domain/bounds.ts';
import { isEmailAddress } from '../../domain/member/member.ts';
import { isName } from '../../domain/name-rules.ts';
import { environmentNameRule, isEnvironmentName } from '../../domain/project/project.ts';
import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { worded } from '../compiled-schema.ts';

/** A string for which `isRight` is true. It never has a lone surrogate, which UTF-8 cannot encode. */
export function textSchema(wording: string, isRight: (text: string) => boolean): TRefine<TString> {
  return Type.Refine(Type.String(worded(wording)), (text) => isRight(text) && isWellFormed(text));
}

/** A string with a bounded number of code points. */
export function sizedTextSchema(min: number, max: number): TRefine<TString> {
  const size = min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`;
  const isSized = (text: string): boolean => hasAtMostCodePoints(text, max) && text.length >= min;
  return textSchema(`must be a string of ${size}`, isSized);
}

/** A name of any kind. It is stored trimmed. */
export const nameSchema = textSchema(
  `must be a string of 1 to ${nameCodePointsMax} characters without control characters, line separators and characters that turn the direction of text`,
  (text) => isName(text.trim()),
);

/** The id of a new record, chosen by the author of the file. */
export const idSchema = textSchema('must be an id: 20 characters of 0-9, A-Z and a-z', isIdShaped);

/** Environment names are identifiers (decisions). */
export const environmentNameSchema = textSchema(
  `must be an environment name: ${environmentNameRule}`,
  isEnvironmentName,
);

export const emailSchema = textSchema('must be an email address', isEmailAddress);
