import { hasAtMostCodePoints } from '../../support/code-points.ts';
import { type JsonValue, stringOf } from '../../support/json-value.ts';
import { descriptionCodePointsMax, tagCodePointsMax, tagsMax } from '../bounds.ts';
import { addNameProblems } from '../name-rules.ts';
import { type FieldSite, fieldName, isNull, isUnicode, readStrings } from './state-fields.ts';

/** The name, description and tags of a flag: set by a create, edited in the console. */
const labelKeys = ['name', 'description', 'tags'] as const;
type LabelKey = (typeof labelKeys)[number];

export interface FlagLabels {
  /** Trimmed. */
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}
export type FlagLabelsDraft = { -readonly [Key in LabelKey]?: FlagLabels[Key] | undefined };

export function isLabelKey(key: string): key is LabelKey {
  return (labelKeys as readonly string[]).includes(key);
}

/** Reads one label into the draft, or adds its problem. */
export function readLabel(draft: FlagLabelsDraft, key: LabelKey, value: JsonValue, site: FieldSite): void {
  if (isNull(value, key, site)) return;
  if (key === 'name') draft.name = readName(value, site);
  else if (key === 'description') draft.description = readDescription(value, site);
  else draft.tags = readTags(value, site);
}

function readName(value: JsonValue, site: FieldSite): string | undefined {
  const name = readText(value, 'name', site)?.trim();
  if (name === undefined) return undefined;
  addNameProblems(name, 'name', site.problems);
  return name;
}

function readDescription(value: JsonValue, site: FieldSite): string | undefined {
  const description = readText(value, 'description', site);
  if (description !== undefined && !hasAtMostCodePoints(description, descriptionCodePointsMax)) {
    site.problems.add(() => `description must be at most ${descriptionCodePointsMax} characters`);
  }
  return description;
}

function readText(value: JsonValue, key: LabelKey, site: FieldSite): string | undefined {
  const text = stringOf(value);
  if (text === undefined) site.problems.add(() => `${fieldName(site, key)} must be a string`);
  return text !== undefined && isUnicode(text, key, site) ? text : undefined;
}

function readTags(value: JsonValue, site: FieldSite): string[] | undefined {
  const before = site.problems.count;
  const tags = readStrings(value, 'tags', tagCodePointsMax, site);
  // Each bad item is a problem.
  const sent = (tags?.length ?? 0) + site.problems.count - before;
  if (tags !== undefined && sent > tagsMax)
    site.problems.add(() => `tags must have at most ${tagsMax} items`);
  return tags;
}
