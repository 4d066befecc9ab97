import { aliasesMax } from '../bounds.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import type { RecordQueries } from '../record-queries.ts';
import { type Flag, nextUpdatedAt } from './flag.ts';

/*
 * Which flag answers to a name: the one that had it first. A create through the API may use the name again, but the new
 * flag answers to its id only, and never inherits the name. When the owner is deleted or renamed, a member has to give
 * the name away in the console. So a token that is limited to some environments can take no flag's name. A flag still
 * answers to its former names, its aliases.
 */

/** The part of a flag that says to which names it answers. */
export type OwnedNames = Pick<Flag, 'nameSince' | 'aliases'>;

/** Another flag that loses an alias. */
export interface AliasLoss {
  readonly before: Flag;
  readonly after: Flag;
}

export interface NameEdit {
  /** The name from now on; it may be the present one. */
  readonly name: string;
  /** Whether the flag gets the name even if it is an alias of another flag, or was left without an owner. */
  readonly takesName: boolean;
  /** Those that stay. */
  readonly aliases: readonly string[];
}

/**
 * @returns the id of the flag that answers to a name, else of one that merely has it; null: a new flag may have it
 */
export function flagWithName(queries: RecordQueries, projectId: string, name: string): string | null {
  return queries.flagNamed(projectId, name) ?? otherWithName(queries, { projectId, name, id: '' });
}

function otherWithName(
  queries: RecordQueries,
  { projectId, name, id }: Pick<Flag, 'projectId' | 'name' | 'id'>,
): string | null {
  for (const place of queries.flagPlacesOf(projectId, name)) if (place.id !== id) return place.id;
  return null;
}

/**
 * Makes a new flag the owner of its name.
 * @param takesAlias whether another flag may lose the name, if that is one of its aliases
 */
export function nameNewFlag(
  queries: RecordQueries,
  flag: Flag,
  takesAlias: boolean,
  now: number,
  problems: ProblemList,
): { readonly flag: Flag; readonly loss: AliasLoss | null } {
  const loss = claimName(queries, flag, { isNew: true, takesAlias }, now, problems);
  return { flag: { ...flag, nameSince: now }, loss };
}

/** Renames a flag, gives it its name, or removes aliases. @param now Unix milliseconds */
export function editNames(
  queries: RecordQueries,
  before: Flag,
  { name, takesName, aliases: kept }: NameEdit,
  now: number,
  problems: ProblemList,
): { readonly names: OwnedNames; readonly loss: AliasLoss | null } {
  const isNew = name !== before.name;
  const former = isNew && before.nameSince !== null ? [before.name] : [];
  for (const alias of kept) {
    if (before.aliases.includes(alias)) continue;
    problems.add(() => `aliases may only lose names, and "${shown(alias)}" is not one of them`);
  }
  const aliases = [...former, ...before.aliases.filter((alias) => kept.includes(alias))].filter(
    (alias) => alias !== name,
  );
  if (aliases.length > aliasesMax) {
    problems.add(
      () =>
        `name cannot change: the flag answers to ${aliasesMax} former names already; remove one of them first`,
    );
  }
  if (!isNew && (!takesName || before.nameSince !== null)) {
    return { names: { nameSince: before.nameSince, aliases }, loss: null };
  }
  const claim = { isNew, takesAlias: takesName };
  const loss = claimName(queries, { ...before, name }, claim, now, problems);
  return { names: { nameSince: now, aliases }, loss };
}

function claimName(
  queries: RecordQueries,
  flag: Flag,
  { isNew, takesAlias }: { readonly isNew: boolean; readonly takesAlias: boolean },
  now: number,
  problems: ProblemList,
): AliasLoss | null {
  const { projectId, name } = flag;
  const ownerId = queries.flagNamed(projectId, name);
  if (ownerId === flag.id) return null;
  const owner = ownerId === undefined ? undefined : queries.flag(ownerId);
  const other = owner?.name === name ? owner.id : isNew ? otherWithName(queries, flag) : null;
  if (other !== null) {
    problems.add(
      () => `name "${shown(name)}" is taken by flag ${other}: choose another one, or rename that flag`,
    );
    return null;
  }
  if (owner === undefined) return null;
  if (!takesAlias) {
    const what = `name "${shown(name)}" is a former name of flag ${owner.id} ("${shown(owner.name)}")`;
    problems.add(() => `${what}, and requests for it get that flag: choose another one, or take the name`);
  }
  return { before: owner, after: withoutAlias(owner, name, now) };
}

function withoutAlias(flag: Flag, alias: string, now: number): Flag {
  return {
    ...flag,
    aliases: flag.aliases.filter((name) => name !== alias),
    revision: flag.revision + 1,
    updatedAt: nextUpdatedAt(flag.updatedAt, now),
  };
}
