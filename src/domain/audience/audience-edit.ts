import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';
import type { AuditChange } from '../audit/audit-entry.ts';
import {
  attributeCodePointsMax,
  audiencesMax,
  rulesMax,
  ruleValuesMax,
  valueCodePointsMax,
} from '../bounds.ts';
import type { Audience, AudienceRule } from '../evaluation/audience.ts';
import { contextParameters } from '../evaluation/evaluation-context.ts';
import { nextUpdatedAt } from '../flag/flag.ts';
import { areSameCohorts as areSameTexts } from '../flag/state-changes.ts';
import { readName } from '../name-rules.ts';
import { type ProblemList, shown } from '../problem-list.ts';

/** The name and rules of an audience; in an edit, an absent field keeps its value. */
export interface AudienceFields {
  readonly name: string;
  readonly rules: readonly AudienceRule[];
}

/** The audiences of a project. */
interface Neighbours {
  /** Read only when a name is sent. */
  readonly names: Iterable<Pick<Audience, 'id' | 'name'>>;
  /** Null: the audience is a new one. */
  readonly own: string | null;
}

/**
 * Reads an audience's fields.
 *
 * @param others the project's other audiences: names are unique, because members choose audiences by name.
 * @param isNew whether it adds to their number.
 * @param problems receives every problem; the fields are valid only without any.
 */
export function parseAudience<Sent extends Partial<AudienceFields>>(
  sent: Sent,
  others: Neighbours,
  problems: ProblemList,
): Sent {
  const { rules } = sent;
  const name = sent.name === undefined ? undefined : readName(sent.name, problems);
  if (name !== undefined) addNeighbourProblems(name, others, problems);
  if (rules !== undefined) addRuleProblems(rules, problems);
  return name === undefined ? sent : { ...sent, name };
}

function addNeighbourProblems(name: string, { names, own }: Neighbours, problems: ProblemList): void {
  const isNew = own === null;
  let count = 0;
  let isTaken = false;
  for (const other of names) {
    count += 1;
    isTaken ||= other.name === name && other.id !== own;
  }
  if (isTaken) problems.add(() => `name "${shown(name)}" is taken by another audience of this project`);
  if (isNew && count >= audiencesMax) {
    problems.add(() => `this project has ${audiencesMax} audiences, which is the limit`);
  }
}

function addRuleProblems(rules: readonly AudienceRule[], problems: ProblemList): void {
  if (rules.length === 0 || rules.length > rulesMax) {
    problems.add(() => `rules must be an array of 1 to ${rulesMax} rules`);
  }
  for (const [index, { attribute, values }] of rules.slice(0, rulesMax).entries()) {
    addAttributeProblems(attribute, `rules[${index}].attribute`, problems);
    addValueProblems(values, `rules[${index}].values`, problems);
  }
}

function addAttributeProblems(attribute: string, path: string, problems: ProblemList): void {
  const isSized = attribute !== '' && hasAtMostCodePoints(attribute, attributeCodePointsMax);
  if (!isSized || !isWellFormed(attribute)) {
    problems.add(() => `${path} must be a string of 1 to ${attributeCodePointsMax} characters`);
  }
  if (contextParameters.some((parameter) => parameter === attribute)) {
    problems.add(
      () => `${path} must not be ${attribute}: it is never an attribute, so the rule never matches`,
    );
  }
}

function addValueProblems(values: readonly string[], path: string, problems: ProblemList): void {
  if (values.length === 0 || values.length > ruleValuesMax) {
    problems.add(() => `${path} must be an array of 1 to ${ruleValuesMax} strings`);
  }
  for (const [index, value] of values.slice(0, ruleValuesMax).entries()) {
    if (hasAtMostCodePoints(value, valueCodePointsMax) && isWellFormed(value)) continue;
    problems.add(() => `${path}[${index}] must be a string of at most ${valueCodePointsMax} characters`);
  }
}

/** @param now Unix milliseconds. */
export function newAudience(
  { name, rules }: AudienceFields,
  id: string,
  projectId: string,
  now: number,
): Audience {
  return { id, projectId, name, rules, createdAt: now, updatedAt: now, revision: 1 };
}

/** @returns the edited audience and its changes; the same audience when nothing changes. */
export function editedAudience(
  before: Audience,
  { name = before.name, rules = before.rules }: Partial<AudienceFields>,
  now: number,
): { readonly audience: Audience; readonly changes: readonly AuditChange[] } {
  const changes: AuditChange[] = [];
  if (name !== before.name) changes.push({ field: 'name', before: before.name, after: name });
  if (!areSameRules(before.rules, rules))
    changes.push({ field: 'rules', before: before.rules, after: rules });
  if (changes.length === 0) return { audience: before, changes };
  const updatedAt = nextUpdatedAt(before.updatedAt, now);
  return { audience: { ...before, name, rules, updatedAt, revision: before.revision + 1 }, changes };
}

/** Compares rules and values in order: the same values in another order are another list. */
export function areSameRules(left: readonly AudienceRule[], right: readonly AudienceRule[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ attribute, values }, index) => {
      const other = right[index];
      return other !== undefined && other.attribute === attribute && areSameTexts(values, other.values);
    })
  );
}
