import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';
import {
  booleanOf,
  type JsonMembers,
  type JsonValue,
  kindOf,
  numberOf,
  stringItemsOf,
  stringOf,
} from '../../support/json-value.ts';
import { cohortCodePointsMax } from '../bounds.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import { areSameCohorts } from './state-changes.ts';

/** The four keys that set a flag's state, in the order in which messages list them. */
export const stateKeys = ['enabled', 'trafficPercentage', 'cohorts', 'audienceId'] as const;
type StateKey = (typeof stateKeys)[number];

/** State as a body sends it; an absent field was not sent. An empty list of cohorts stays empty here. */
export interface StateFields {
  readonly enabled?: boolean | undefined;
  readonly trafficPercentage?: number | undefined;
  readonly cohorts?: readonly string[] | undefined;
  readonly audienceId?: string | null | undefined;
}
export type StateFieldsDraft = { -readonly [Key in StateKey]?: StateFields[Key] };

const loneSurrogateFault = 'must be valid Unicode: it has a lone surrogate';

/** The place of a field in a body, and what its reader needs. */
export interface FieldSite {
  /** Empty at the top of the body, or for example `environments.staging.`. */
  readonly prefix: string;
  /**
   * A patch puts the names of its fields in quotes (`"enabled"`); a create names paths
   * (`environments.staging.enabled`).
   */
  readonly isQuoted: boolean;
  readonly problems: ProblemList;
  /** Whether the project has an audience with this id. */
  hasAudience(id: string): boolean;
}

export function isStateKey(key: string): key is StateKey {
  return (stateKeys as readonly string[]).includes(key);
}

/** The name of a field in a message. */
export function fieldName(site: FieldSite, key: string): string {
  const path = `${site.prefix}${shown(key)}`;
  return site.isQuoted ? `"${path}"` : path;
}

/** Unknown keys are rejected by name, `__proto__` like any other (specification, patch rule 3). */
export function addUnknownField(site: FieldSite, key: string): void {
  site.problems.add(() => `unknown field "${site.prefix}${shown(key)}"`);
}

/** Reads the members in the order sent. Unlisted ones are unknown keys, after 50 such problems. */
export function readMembers(
  { listed, unlistedCount }: JsonMembers,
  site: FieldSite,
  readMember: (key: string, value: JsonValue) => void,
): void {
  for (const [key, value] of listed) readMember(key, value);
  site.problems.addUnlisted(unlistedCount);
}

/** Reads one field into the draft, or adds its problem. Null is allowed for `audienceId` only (patch rule 2). */
export function readStateField(
  draft: StateFieldsDraft,
  key: StateKey,
  value: JsonValue,
  site: FieldSite,
): void {
  if (key === 'audienceId') draft.audienceId = readAudienceId(value, site);
  else if (isNull(value, key, site)) return;
  else if (key === 'enabled') draft.enabled = readEnabled(value, site);
  else if (key === 'trafficPercentage') draft.trafficPercentage = readPercentage(value, site);
  else draft.cohorts = readStrings(value, 'cohorts', cohortCodePointsMax, site);
}

/** @returns whether the value is null, and adds the problem. */
export function isNull(value: JsonValue, key: string, site: FieldSite): boolean {
  if (kindOf(value) !== 'null') return false;
  site.problems.add(() => `${fieldName(site, key)} cannot be null`);
  return true;
}

/**
 * Reads an array of strings of 1 to `codePointsMax` characters; each bad item is a problem of its own.
 *
 * @returns the good items in the order sent; undefined when the value is not an array.
 */
export function readStrings(
  value: JsonValue,
  key: string,
  codePointsMax: number,
  site: FieldSite,
): string[] | undefined {
  if (kindOf(value) !== 'array') {
    site.problems.add(() => `${fieldName(site, key)} must be an array of strings`);
    return undefined;
  }
  const sizeFault = `must be a string of 1 to ${codePointsMax} characters`;
  const strings: string[] = [];
  let index = 0;
  for (const text of stringItemsOf(value)) {
    const place = index++;
    const isSized = text !== undefined && text !== '' && hasAtMostCodePoints(text, codePointsMax);
    if (isSized && isWellFormed(text)) strings.push(text);
    else addItemFault(site, key, place, isSized ? loneSurrogateFault : sizeFault);
  }
  return strings;
}

function addItemFault(site: FieldSite, key: string, index: number, fault: string): void {
  site.problems.add(() => `${fieldName(site, `${key}[${index}]`)} ${fault}`);
}

/** @returns whether the text can be stored as UTF-8; otherwise adds the problem. */
export function isUnicode(text: string, key: string, site: FieldSite): boolean {
  if (isWellFormed(text)) return true;
  site.problems.add(() => `${fieldName(site, key)} ${loneSurrogateFault}`);
  return false;
}

function readEnabled(value: JsonValue, site: FieldSite): boolean | undefined {
  const enabled = booleanOf(value);
  if (enabled === undefined) site.problems.add(() => `${fieldName(site, 'enabled')} must be true or false`);
  return enabled;
}

function readPercentage(value: JsonValue, site: FieldSite): number | undefined {
  const percentage = numberOf(value);
  if (percentage !== undefined && Number.isInteger(percentage) && percentage >= 0 && percentage <= 100) {
    return percentage + 0; // -0 becomes 0
  }
  const name = fieldName(site, 'trafficPercentage');
  site.problems.add(() => `${name} must be a whole number between 0 and 100`);
  return undefined;
}

function readAudienceId(value: JsonValue, site: FieldSite): string | null | undefined {
  if (kindOf(value) === 'null') return null;
  const id = stringOf(value);
  if (id === undefined) {
    site.problems.add(() => `${fieldName(site, 'audienceId')} must be a string or null`);
    return undefined;
  }
  if (site.hasAudience(id)) return id;
  const path = site.prefix === '' ? '' : `${site.prefix}audienceId: `;
  site.problems.add(() => `${path}Audience "${shown(id)}" does not exist on this project.`);
  return undefined;
}

/**
 * The effect of a sent list on an environment's own. An empty list inherits. A list equal to the inherited one creates
 * no override where none is stored (specification, transitions).
 *
 * @param inherited the flag-wide list that applies without an override.
 */
export function overrideAfter(
  before: readonly string[] | null,
  sent: readonly string[],
  inherited: readonly string[],
): readonly string[] | null {
  if (sent.length === 0) return null;
  return before === null && areSameCohorts(inherited, sent) ? null : sent;
}
