import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import Plus from 'lucide-react/icons/plus';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { type FlagsSearch, withChoice } from '../../app/searches.ts';
import { ConsoleError, toConsoleError } from '../../client/console-error.ts';
import type { KnownFlags } from '../../client/flag-list.ts';
import { flagsQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { useIsNarrow } from '../../parts/data-list.tsx';
import { showFailure } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { favouritesMax, withFavourite } from '../../parts/preferences.ts';
import { SmallButton } from '../../parts/small-button.tsx';
import { usePreference, usePreferenceStore, useProjectPreferences } from '../../parts/use-preferences.ts';
import { countOf, numberWords } from '../../parts/words.ts';
import { ProjectLink } from '../../shell/pages.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { ColumnMenu } from './column-menu.tsx';
import { CreateFlag } from './create-flag-dialog.tsx';
import { chosenFlags, sortOf, tagsOf, writtenSort } from './filter-flags.ts';
import { FlagCards } from './flag-cards.tsx';
import { flagColumns, productionNumbers } from './flag-columns.ts';
import { ClearFilters, FlagFilters } from './flag-filters.tsx';
import { FlagTable } from './flag-table.tsx';
import classes from './flags.module.css';
import { listViewOf } from './list-view.ts';
import { SavedFilters } from './saved-filters.tsx';
import { useHeldRows } from './use-held-rows.ts';

const route = getRouteApi('/shell/projects/$projectId/flags');

/** The project's flags as the member wants to see them. */
function useFlags(search: FlagsSearch, isNarrow: boolean) {
  const project = useProject();
  const query = useQuery(flagsQuery(project.id));
  const preferences = useProjectPreferences(project.id);
  const all = query.data?.flags;
  const tags = useMemo(() => tagsOf(all ?? []), [all]);
  const favourites = useMemo(() => new Set(preferences.favourites), [preferences.favourites]);
  const sought = search.column === undefined ? null : Number(search.column);
  const columns = useMemo(() => {
    // The choice of columns is the table's: cards have no button for it.
    const hidden = isNarrow ? [] : preferences.hiddenColumns.filter((number) => number !== sought);
    return flagColumns(project, { ...preferences, hiddenColumns: hidden });
  }, [project, preferences, isNarrow, sought]);
  const production = useMemo(() => productionNumbers(project), [project]);
  const wanted = useDeferredValue(search);
  const wish = useMemo(() => ({ search: wanted, favourites, production }), [wanted, favourites, production]);
  const sorted = useMemo(() => chosenFlags(all ?? [], wish), [all, wish]);
  const rows = useHeldRows(sorted, query.data, wish);
  return { query, tags, favourites, columns, sought, production, rows, isHeld: rows !== sorted };
}

/** How many flags are shown, of how many, and whether there are more that are not read yet. */
function listWords(shown: number, total: number, isKnown: boolean): string {
  const count =
    shown === total ? countOf(total, 'flag') : `${numberWords(shown)} of ${countOf(total, 'flag')}`;
  return isKnown ? count : `${count} read so far …`;
}

interface LeadProps {
  readonly list: KnownFlags;
  readonly shown: number;
  /** Rows stay where they are although filters or order want them elsewhere. */
  readonly isHeld: boolean;
}

function Lead({ list, shown, isHeld }: LeadProps) {
  const total = list.flags.length;
  return (
    <span role="status">
      {listWords(shown, total, list.isWhole || list.next === null)}
      {isHeld && ' · rows stay in place until you leave the list'}
    </span>
  );
}

/** Some pages of the list could not be read: the page works with what it has. */
function Incomplete({ query }: { readonly query: ReturnType<typeof useFlags>['query'] }) {
  const { data, fetchStatus, error, refetch } = query;
  if (data === undefined || data.next === null || fetchStatus !== 'idle') return null;
  return (
    <div className={classes.incomplete}>
      <Callout tone="warn">
        {data.isWhole ? 'This list may be out of date' : 'Some flags are missing from this list'}
        {error === null ? '.' : `: ${toConsoleError(error).message}`}{' '}
        <SmallButton onClick={() => void refetch()}>Try again</SmallButton>
      </Callout>
    </div>
  );
}

const noRoom = new ConsoleError(
  0,
  'No room for another favourite',
  `You have ${favouritesMax} in this project. Remove one first.`,
  null,
);

/** Stores a press on a star; the same function each time. */
function useFavouriteChange(projectId: string) {
  const store = usePreferenceStore();
  const client = useQueryClient();
  return useCallback(
    (flagId: string, isFavourite: boolean) => {
      const list = client.getQueryData<KnownFlags>(flagsQuery(projectId).queryKey);
      const known = new Set(list?.flags.map(({ id }) => id));
      const isPresent = (id: string) => list?.isWhole !== true || known.has(id);
      let next: readonly string[] | null = null;
      store.changeProject(projectId, ({ favourites }) => {
        next = isFavourite
          ? withFavourite(favourites, flagId, isPresent)
          : favourites.filter((id) => id !== flagId);
        return next === null ? {} : { favourites: next };
      });
      if (next === null) showFailure(noRoom, { what: 'Favourites' });
    },
    [store, client, projectId],
  );
}

function NoEnvironment() {
  return (
    <Callout tone="plain">
      This project has no environments yet, so that its flags have no states.{' '}
      <ProjectLink to="/projects/$projectId/environments">Create an environment</ProjectLink>
    </Callout>
  );
}

export function FlagsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  const canEdit = useCanEdit();
  const isNarrow = useIsNarrow();
  const density = usePreference((present) => present.density);
  const { query, tags, favourites, columns, sought, production, rows, isHeld } = useFlags(search, isNarrow);
  const onFavourite = useFavouriteChange(project.id);
  // The router would restore the position; the list decides itself where it begins.
  const change = (next: FlagsSearch) => void navigate({ search: next, replace: true, resetScroll: false });
  const { create: _, column: __, ...filters } = search;
  const close = () => void navigate({ search: filters, replace: true, ignoreBlocker: true });
  const view = listViewOf(project.id, filters);
  const total = query.data?.flags.length ?? 0;
  const isKnown = query.data !== undefined && (total > 0 || query.data.next === null);
  const button = canEdit ? (
    <Button leftSection={<Plus aria-hidden="true" />} onClick={() => change({ ...search, create: 'yes' })}>
      Create flag
    </Button>
  ) : null;
  const Rows = isNarrow ? FlagCards : FlagTable;
  return (
    <>
      <PageHead title="Flags" actions={total > 0 ? button : null}>
        {query.data !== undefined && total > 0 && (
          <Lead list={query.data} shown={rows.length} isHeld={isHeld} />
        )}
      </PageHead>
      <PageUnread of={query} what="flags" />
      <Incomplete query={query} />
      {isKnown && columns.length === 0 && project.environments.length === 0 && <NoEnvironment />}
      {isKnown && total === 0 && (
        <PageEmpty title="No flags yet" action={button}>
          A flag is a question that your application asks: is this on for this caller?
          {!canEdit && ' Ask an Editor to create the first one.'}
        </PageEmpty>
      )}
      {total > 0 && (
        <FlagFilters search={filters} tags={tags} onChange={change}>
          <SavedFilters search={filters} onChange={change} />
          {!isNarrow && <ColumnMenu />}
        </FlagFilters>
      )}
      {total > 0 && rows.length === 0 && (
        <PageEmpty
          title="No flags match these filters"
          action={isNarrow && <ClearFilters onClear={() => change({})} />}
        />
      )}
      {rows.length > 0 && (
        <Rows
          key={density}
          {...{ rows, columns, sought, production, canEdit, density, view, favourites, onFavourite }}
          projectId={project.id}
          sort={sortOf(search.sort)}
          onSort={(sort) => change(withChoice(filters, 'sort', writtenSort(sort) ?? null))}
        />
      )}
      {search.create === 'yes' && canEdit && <CreateFlag onClose={close} />}
    </>
  );
}
