import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import type { AuditSearch } from '../../app/searches.ts';
import { membersQuery, projectsQuery, tokensQuery } from '../../client/queries.ts';
import { searchQuery } from '../../client/search.ts';
import { visibleName } from '../../parts/visible-name.ts';
import { searchedWords } from '../../parts/words.ts';
import { useSession } from '../../shell/use-session.ts';

/** An option of a filter: the value that is sent, and its label. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Shown after the label: a flag's project. */
  readonly note?: string;
}

export interface ChoiceGroup {
  readonly group: string;
  /** Not read-only, as the field's type asks. */
  readonly items: Choice[];
}

/** The scope of the filters' options. */
export interface ChoiceScope {
  /** Whose page it is; null on the organisation's. */
  readonly project: ProjectView | null;
  readonly search: AuditSearch;
  /** Entries that this window has read: they name records that are deleted. */
  readonly entries: readonly AuditEntryView[];
}

/** A filter over all projects reads the tokens of at most this many projects, one request each. */
const tokenProjectsMax = 30;

/** Each value once, with its first label. */
function distinct(choices: readonly Choice[]): Choice[] {
  const known = new Map<string, Choice>();
  for (const choice of choices) if (!known.has(choice.value)) known.set(choice.value, choice);
  return [...known.values()];
}

function grouped(groups: readonly ChoiceGroup[], chosen: string | undefined): readonly ChoiceGroup[] {
  const shown = groups.filter(({ items }) => items.length > 0);
  const isKnown = shown.some(({ items }) => items.some(({ value }) => value === chosen));
  // An active filter is visible, whatever it is.
  if (chosen === undefined || isKnown) return shown;
  return [...shown, { group: 'Chosen', items: [{ value: chosen, label: chosen }] }];
}

/** The projects that the filters are about. */
function useScopeProjects({ project, search }: ChoiceScope): readonly ProjectView[] {
  const all = useQuery(projectsQuery).data?.projects ?? [];
  const isWhole = project === null || search.scope === 'organisation';
  if (!isWhole) return [project];
  const shared = all.filter(({ isPersonal }) => !isPersonal);
  return search.project === undefined ? shared : shared.filter(({ id }) => id === search.project);
}

/**
 * Members, tokens and others, as the API names them: `member:ID`, `token:ID`, `operator`, `anonymous`.
 *
 * @param isWanted whether tokens are to be read: the filter is open, or chooses one
 */
export function useActorChoices(scope: ChoiceScope, isWanted: boolean): readonly ChoiceGroup[] {
  const { member: self, organisation } = useSession();
  const { project, search, entries } = scope;
  const isShared = organisation !== null && project?.isPersonal !== true;
  const projects = useScopeProjects(scope).slice(0, tokenProjectsMax);
  const members = useQuery({ ...membersQuery, enabled: isShared }).data?.members ?? [];
  const isTokenWanted = isShared && (isWanted || search.actor?.startsWith('token:') === true);
  const lists = useQueries({
    queries: projects.map(({ id }) => ({ ...tokensQuery(id), enabled: isTokenWanted })),
  });
  const isOne = projects.length === 1;
  const tokens = lists.flatMap(({ data }, index) =>
    (data?.tokens ?? []).map(({ id, name }): Choice => {
      const label = `${visibleName(name)} (token)`;
      const note = visibleName(projects[index]?.name ?? '');
      return { value: `token:${id}`, label, ...(isOne ? {} : { note }) };
    }),
  );
  const seen = (wanted: 'member' | 'token') =>
    entries
      .filter(({ actor }) => actor.kind === wanted)
      .map(({ actor: { id, name } }): Choice => {
        const label = `${visibleName(name)}${wanted === 'token' ? ' (token)' : ''}`;
        return { value: `${wanted}:${id}`, label };
      });
  const present = [...members, self].map(
    ({ id, name }): Choice => ({ value: `member:${id}`, label: visibleName(name) }),
  );
  return grouped(
    [
      { group: 'Members', items: distinct([...present, ...seen('member')]) },
      { group: 'Tokens', items: distinct([...tokens, ...seen('token')]) },
      {
        group: 'Others',
        items: [
          { value: 'operator', label: 'The operator' },
          { value: 'anonymous', label: 'Anonymous' },
        ],
      },
    ],
    search.actor,
  );
}

/** The value of an environment in a filter of all projects: the project's id, empty for all, and the name. */
export function environmentValue(projectId: string | undefined, name: string): string {
  return `${projectId ?? ''}/${name}`;
}

/** @returns the two parts of `environmentValue` */
export function readEnvironmentValue(value: string): { readonly projectId: string; readonly name: string } {
  const slash = value.indexOf('/');
  return { projectId: value.slice(0, slash), name: value.slice(slash + 1) };
}

/** Every environment by project; in the organisation's log first each name once, for all projects. */
export function useEnvironmentChoices(scope: ChoiceScope): readonly ChoiceGroup[] {
  const { project, search, entries } = scope;
  const projects = useScopeProjects(scope);
  const isWhole = project === null || search.scope === 'organisation';
  const chosen =
    search.environment === undefined ? undefined : environmentValue(search.project, search.environment);
  const own = projects.map(({ id, name, environments }): ChoiceGroup => {
    const gone = entries.filter(({ projectId }) => projectId === id).map(({ environment }) => environment);
    const names = [...environments.map((environment) => environment.name), ...gone].filter(
      (one) => one !== null,
    );
    const projectId = isWhole ? id : undefined;
    return {
      group: visibleName(name),
      items: distinct(names.map((one) => ({ value: environmentValue(projectId, one), label: one }))),
    };
  });
  if (!isWhole || projects.length < 2) return grouped(own, chosen);
  const names = projects.flatMap(({ environments }) => environments.map(({ name }) => name));
  const shared = distinct(names.map((name) => ({ value: environmentValue(undefined, name), label: name })));
  return grouped([{ group: 'All projects', items: shared }, ...own], chosen);
}

/** What the filter of flags is asked for. */
export interface FlagWish {
  /** What was typed. */
  readonly text: string;
  /** Whether the filter is open. */
  readonly isOpen: boolean;
}

/** Flags of entries that were read, with those that were deleted. */
function namedFlags(
  entries: readonly AuditEntryView[],
  isWhole: boolean,
  isGone: (id: string) => boolean,
): readonly Choice[] {
  return entries
    .filter(({ action }) => action.startsWith('flag.'))
    .map(({ targetId, targetName, projectName }) => {
      const label = `${visibleName(targetName)}${isGone(targetId) ? ' (deleted)' : ''}`;
      return {
        value: targetId,
        label,
        ...(isWhole && projectName !== null ? { note: visibleName(projectName) } : {}),
      };
    });
}

/** Flags that match what was typed, found by the service; with flags of read entries, which may be deleted. */
export function useFlagChoices(scope: ChoiceScope, { text, isOpen }: FlagWish): readonly Choice[] {
  const { project, search, entries } = scope;
  const isWhole = project === null || search.scope === 'organisation';
  const projectId = isWhole ? (search.project ?? null) : project.id;
  const chosen = search.flag ?? '';
  const found = useQuery({
    ...searchQuery(text, projectId),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const named = useQuery({ ...searchQuery(chosen, projectId), enabled: chosen !== '' });
  const deleted = new Set(
    entries.filter(({ action }) => action === 'flag.delete').map(({ targetId }) => targetId),
  );
  const present = [...(found.data?.results ?? []), ...(named.data?.results ?? [])]
    .filter((result) => result.kind === 'flag')
    .map(({ id, name, projectName }): Choice => {
      return { value: id, label: visibleName(name), ...(isWhole ? { note: visibleName(projectName) } : {}) };
    });
  const isChosenGone = named.data !== undefined && !present.some(({ value }) => value === chosen);
  const gone = namedFlags(entries, isWhole, (id) => deleted.has(id) || (id === chosen && isChosenGone));
  const words = searchedWords(text);
  const matching = gone.filter(({ value, label }) => {
    const own = label.toLowerCase();
    return value === chosen || words.every((word) => own.includes(word));
  });
  const known = distinct([...present, ...matching]);
  if (chosen === '' || known.some(({ value }) => value === chosen)) return known;
  return [...known, { value: chosen, label: chosen }];
}
