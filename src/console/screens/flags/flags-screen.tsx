import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import type { FlagsSearch } from '../../app/searches.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { flagsQuery } from '../../client/queries.ts';
import { countOf } from '../../parts/count-words.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { CreateFlag } from './create-flag.tsx';
import { filterFlags, searchable, tagsOf } from './filter-flags.ts';
import { FlagCards } from './flag-cards.tsx';
import { FlagFilters } from './flag-filters.tsx';
import { FlagTable } from './flag-table.tsx';

const route = getRouteApi('/shell/projects/$projectId/flags');

function useFlags(search: Partial<FlagsSearch>) {
  const query = useQuery(flagsQuery(useProject().id));
  const all = query.data?.flags;
  const flags = useMemo(() => (all ?? []).map(searchable), [all]);
  const tags = useMemo(() => tagsOf(all ?? []), [all]);
  const deferred = useDeferredValue(search);
  const rows = useMemo(() => filterFlags(flags, deferred), [flags, deferred]);
  return { query, tags, rows, total: flags.length };
}

function leadOf(shown: number, total: number): string {
  return shown === total
    ? countOf(total, 'flag')
    : `${shown.toLocaleString('en')} of ${countOf(total, 'flag')}`;
}

export function FlagsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canEdit = useCanEdit();
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const { query, tags, rows, total } = useFlags(search);
  const change = (next: Partial<FlagsSearch>) => void navigate({ search: next, replace: true });
  const { create: _, ...filters } = search;
  const close = () => void navigate({ search: filters, replace: true, ignoreBlocker: true });
  const button = canEdit ? (
    <Button onClick={() => change({ ...search, create: 'yes' })}>Create flag</Button>
  ) : null;
  const List = isNarrow ? FlagCards : FlagTable;
  return (
    <>
      <PageHeader title="Flags" actions={total > 0 ? button : null}>
        {total > 0 && <span role="status">{leadOf(rows.length, total)}</span>}
      </PageHeader>
      {query.isPending && <PageLoading what="flags" />}
      {isUnreadable(query) && <PageError error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && total === 0 && (
        <PageEmpty title="No flag yet" action={button}>
          A flag is a question that your application asks: is this on for this caller?
        </PageEmpty>
      )}
      {total > 0 && <FlagFilters search={filters} tags={tags} onChange={change} />}
      {total > 0 && rows.length === 0 && (
        <PageEmpty
          title="No flag matches"
          action={
            <Button variant="default" onClick={() => change({})}>
              Clear the filters
            </Button>
          }
        >
          None of {countOf(total, 'flag')} has all that is searched and chosen above.
        </PageEmpty>
      )}
      {rows.length > 0 && <List rows={rows} />}
      {search.create === 'yes' && canEdit && <CreateFlag onClose={close} />}
    </>
  );
}
