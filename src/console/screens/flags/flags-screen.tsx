import { Button, Kbd, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { type FlagsSearch, withChoice } from '../../app/searches.ts';
import { flagsQuery } from '../../client/queries.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { countOf } from '../../parts/words.ts';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { CreateFlag } from './create-flag-dialog.tsx';
import { filterFlags, searchable, tagsOf } from './filter-flags.ts';
import { FlagRows } from './flag-list.tsx';
import classes from './flags.module.css';

/** The address follows the typing after this delay. */
const settleMs = 150;

interface FlagFiltersProps {
  readonly search: FlagsSearch;
  readonly tags: readonly string[];
  readonly onChange: (search: FlagsSearch) => void;
}

function SearchField({ search, onChange }: Omit<FlagFiltersProps, 'tags'>) {
  const stored = search.q ?? '';
  const [typed, setTyped] = useState(stored);
  const [seen, setSeen] = useState(stored);
  // The search changed by the back button, or by clearing the filters.
  if (seen !== stored) {
    setSeen(stored);
    if (typed.trim() !== stored) setTyped(stored);
  }
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === stored) return undefined;
    const timer = setTimeout(() => onChange(withChoice(search, 'q', wanted)), settleMs);
    return () => clearTimeout(timer);
  }, [typed, stored, search, onChange]);
  return (
    <TextField
      className={classes.search}
      type="search"
      aria-label="Search flags"
      placeholder="Search by name, id, description or tag"
      data-page-search
      rightSection={
        typed === '' ? (
          <Kbd size="xs" visibleFrom="sm">
            /
          </Kbd>
        ) : null
      }
      value={typed}
      onText={setTyped}
    />
  );
}

function FlagFilters({ search, tags, onChange }: FlagFiltersProps) {
  const { environments } = useProject();
  const choose = (name: 'tag' | 'state' | 'environment') => (event: { currentTarget: { value: string } }) =>
    onChange(withChoice(search, name, event.currentTarget.value));
  return (
    <search className={classes.filters}>
      <SearchField search={search} onChange={onChange} />
      {tags.length > 0 && (
        <NativeSelect
          aria-label="Tag"
          value={search.tag ?? ''}
          data={[{ value: '', label: 'Any tag' }, ...tags]}
          onChange={choose('tag')}
        />
      )}
      <NativeSelect
        aria-label="State"
        value={search.state ?? ''}
        data={[
          { value: '', label: 'On or off' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
        onChange={choose('state')}
      />
      {environments.length > 0 && (
        <NativeSelect
          aria-label="Environment of the state"
          value={search.environment ?? ''}
          disabled={search.state === undefined}
          data={[
            { value: '', label: 'in any environment' },
            ...environments.map(({ number, name }) => ({ value: String(number), label: `in ${name}` })),
          ]}
          onChange={choose('environment')}
        />
      )}
    </search>
  );
}

const route = getRouteApi('/shell/projects/$projectId/flags');

function useFlags(search: FlagsSearch) {
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
  const { query, tags, rows, total } = useFlags(search);
  const change = (next: FlagsSearch) => void navigate({ search: next, replace: true });
  const { create: _, ...filters } = search;
  const close = () => void navigate({ search: filters, replace: true, ignoreBlocker: true });
  const button = canEdit ? (
    <Button onClick={() => change({ ...search, create: 'yes' })}>Create flag</Button>
  ) : null;
  return (
    <>
      <PageHead title="Flags" actions={total > 0 ? button : null}>
        {total > 0 && <span role="status">{leadOf(rows.length, total)}</span>}
      </PageHead>
      <PageUnread of={query} what="flags" />
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
          None of {countOf(total, 'flag')} matches the search and the filters above.
        </PageEmpty>
      )}
      {rows.length > 0 && <FlagRows rows={rows} />}
      {search.create === 'yes' && canEdit && <CreateFlag onClose={close} />}
    </>
  );
}
