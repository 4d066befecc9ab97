import {
  attributeCodePointsMax,
  descriptionCodePointsMax,
  emailCharsMax,
  environmentNameCharsMax,
  environmentsMax,
  nameCodePointsMax,
  passwordCharsMax,
  passwordCharsMin,
  tagCodePointsMax,
  tagsMax,
  tokenNameCodePointsMax,
} from '../../domain/bounds.ts';
import { contextParameters } from '../../domain/evaluation/evaluation-context.ts';
import { isEmailAddress, isSameEmail } from '../../domain/member/member.ts';
import { unfitCharacter } from '../../domain/name-rules.ts';
import { isEnvironmentName } from '../../domain/project/project.ts';
import { isSlug, slugCharsMax } from '../../domain/project/project-slug.ts';
import { visibleName } from './visible-name.ts';

/** What a field accepts: the service's own limits, in words for members. */
export interface FieldRule {
  /** The most characters. The field shows the count up to it. */
  readonly max?: number;
  /**
   * @param isDone false while the member types: then a problem that more typing may fix is not shown yet
   * @returns a sentence, or null
   */
  problemOf(text: string, isDone: boolean): string | null;
}

/** Number of characters, as the service counts them: an emoji is one. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

function excessProblem(text: string, max: number): string | null {
  const excess = lengthOf(text) - max;
  return excess > 0 ? `At most ${max} characters: remove ${excess}.` : null;
}

/** A text of one line. @param missing what to do while it is empty */
function lineRule(max: number, missing: string): FieldRule {
  return {
    max,
    problemOf: (text, isDone) => {
      const name = text.trim();
      const unfit = unfitCharacter(name);
      if (unfit !== null) return `Remove ${visibleName(unfit)}: it breaks the line or turns the text around.`;
      return name === '' && isDone ? missing : excessProblem(name, max);
    },
  };
}

export const nameRule = lineRule(nameCodePointsMax, 'Enter a name.');
export const tokenNameRule = lineRule(tokenNameCodePointsMax, 'Enter a name.');

/** The rule of a new name. The present name is valid in any case, because it is stored already. */
export function renamingRule(rule: FieldRule, present: string): FieldRule {
  return { ...rule, problemOf: (text, isDone) => (text === present ? null : rule.problemOf(text, isDone)) };
}

/** A name that no other record may have. @param others their names @param where for the sentence: `in this project` */
export function uniqueNameRule(rule: FieldRule, others: readonly string[], where: string): FieldRule {
  return {
    ...rule,
    problemOf: (text, isDone) => {
      const name = text.trim();
      if (name !== '' && others.includes(name)) return `${visibleName(name)} exists already ${where}.`;
      return rule.problemOf(text, isDone);
    },
  };
}

export const environmentRule: FieldRule = {
  max: environmentNameCharsMax,
  problemOf: (text, isDone) => {
    if (text === '') return isDone ? 'Enter a name.' : null;
    const excess = excessProblem(text, environmentNameCharsMax);
    return excess ?? (isEnvironmentName(text) ? null : 'Use lower-case letters, digits and - _ . only.');
  },
};

/** Empty, or a slug. @param taken those of other projects @param missing what to say while it is empty; null: it may be */
export function slugField(taken: readonly string[], missing: string | null): FieldRule {
  return {
    max: slugCharsMax,
    problemOf: (text, isDone) => {
      if (text === '') return missing;
      if (!/^[a-z][a-z0-9-]*$/.test(text))
        return 'Use lower-case letters, digits and -. Begin with a letter.';
      if (taken.includes(text)) return `Another project has, or had, the slug ${text}.`;
      if (isDone && !isSlug(text) && text.length < slugCharsMax)
        return text.length < 2
          ? 'At least 2 characters.'
          : `Add or remove a character: with ${text.length} it has the length of an id.`;
      return excessProblem(text, slugCharsMax);
    },
  };
}

/** The percentage that is typed, with or without its sign; null for anything but a whole number from 0 to 100. */
export function percentageOf(text: string): number | null {
  const [, digits] = /^\s*(\d+)\s*%?\s*$/.exec(text) ?? [];
  return digits === undefined || Number(digits) > 100 ? null : Number(digits);
}

export const percentageProblem = 'Enter a whole number from 0 to 100.';
export const percentageRule: FieldRule = {
  problemOf: (text) => (text === '' || percentageOf(text) !== null ? null : percentageProblem),
};

export const descriptionRule: FieldRule = {
  max: descriptionCodePointsMax,
  problemOf: (text) => excessProblem(text, descriptionCodePointsMax),
};

export const emailRule: FieldRule = {
  problemOf: (text, isDone) => {
    const email = text.trim();
    if (!isDone) return excessProblem(email, emailCharsMax);
    if (email === '') return 'Enter an email address.';
    return isEmailAddress(email) ? null : 'Enter an address like name@example.com.';
  },
};

/** @param taken emails that are in use, and the sentence to show for each */
export function newEmailRule(taken: readonly { readonly email: string; readonly who: string }[]): FieldRule {
  return {
    problemOf: (text, isDone) => {
      const known = taken.find(({ email }) => isSameEmail(email, text.trim()));
      return known === undefined ? emailRule.problemOf(text, isDone) : known.who;
    },
  };
}

export const passwordRule: FieldRule = {
  problemOf: (text, isDone) => (text === '' && isDone ? 'Enter the password.' : null),
};

export const newPasswordRule: FieldRule = {
  problemOf: (text, isDone) => {
    const missing = passwordCharsMin - lengthOf(text);
    if (missing > 0) return isDone ? `At least ${passwordCharsMin} characters: ${missing} more.` : null;
    return excessProblem(text, passwordCharsMax);
  },
};

/** The attribute that a rule of an audience compares. */
export const attributeRule: FieldRule = {
  max: attributeCodePointsMax,
  problemOf: (text, isDone) => {
    if (text === '') return isDone ? 'Enter an attribute.' : null;
    const isReserved = isDone && contextParameters.some((parameter) => parameter === text);
    if (isReserved) return `${text} is never an attribute, so this rule would match no caller.`;
    return excessProblem(text, attributeCodePointsMax);
  },
};

/** The problem of a list whose items are typed one by one; null for none. */
export function listProblem(
  items: readonly string[],
  { noun, countMax, rule }: { readonly noun: string; readonly countMax: number; readonly rule: FieldRule },
): string | null {
  for (const item of items) {
    const problem = rule.problemOf(item, true);
    if (problem !== null) return `${visibleName(item.slice(0, 40))}: ${problem}`;
  }
  return items.length > countMax ? `At most ${countMax} ${noun}s: remove ${items.length - countMax}.` : null;
}

export const tagList = {
  noun: 'tag',
  countMax: tagsMax,
  rule: { problemOf: (text: string) => excessProblem(text, tagCodePointsMax) },
} as const;
export const environmentList = {
  noun: 'environment',
  countMax: environmentsMax,
  rule: environmentRule,
} as const;
