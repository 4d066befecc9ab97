import { idChars } from '../../support/id-shape.ts';
import { slugsMax } from '../bounds.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Project } from './project.ts';

/*
 * A slug is a second name of a project in addresses, chosen by members. Its length tells it from an id. It is unique in
 * the service and never given to another project: a project keeps its former slugs, and goes on answering to them.
 * Callers without credentials may use the slugs of a project only while its `isSlugPublic` is on: its random id keeps
 * its flags from those who were not given it.
 */

export const slugCharsMax = 40;
const slugPattern = /^[a-z][a-z0-9-]{1,39}$/;
export const slugRule = `2 to ${slugCharsMax} characters of a-z, 0-9 and "-", beginning with a letter, and not ${idChars} characters, as many as an id has`;

export function isSlug(text: string): boolean {
  return text.length !== idChars && slugPattern.test(text);
}

/** @returns a slug that resembles a project's name; empty when there is none */
export function proposedSlug(name: string): string {
  const ascii = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const slug = ascii
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, slugCharsMax);
  const trimmed = slug.replace(/-+$/, '');
  return isSlug(trimmed) ? trimmed : '';
}

/** The present slug; null: the project has none. */
export function slugOf({ slugs }: Pick<Project, 'slugs'>): string | null {
  return slugs[0] ?? null;
}

/** @returns whether the text is the project's id or one of its slugs */
export function answersTo({ id, slugs }: Pick<Project, 'id' | 'slugs'>, text: string): boolean {
  return id === text || slugs.includes(text);
}

/** @param text an id or a slug */
export function findProject(queries: RecordQueries, text: string): Project | undefined {
  const id = text.length === idChars ? text : queries.projectWithSlug(text);
  return id === undefined ? undefined : queries.project(id);
}

/** @param problems receives why the project cannot have the slug. @returns its slugs with this one as the present one */
export function withSlug(
  queries: RecordQueries,
  { id, slugs }: Pick<Project, 'id' | 'slugs'>,
  slug: string,
  prefix: string,
  problems: ProblemList,
): readonly string[] {
  const all = [slug, ...slugs.filter((former) => former !== slug)];
  const owner = queries.projectWithSlug(slug);
  if (!isSlug(slug)) problems.add(() => `${prefix}slug must be ${slugRule}`);
  else if (owner !== undefined && owner !== id)
    problems.add(() => `${prefix}slug "${shown(slug)}" is taken: a project has it, or had it before`);
  else if (all.length > slugsMax) {
    const fix = 'it keeps them all, so give it one of them again';
    problems.add(() => `${prefix}slug cannot change: the project has had ${slugsMax} slugs, and ${fix}`);
  }
  return all;
}
