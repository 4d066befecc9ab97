import { Button, Kbd, NativeSelect } from '@mantine/core';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import Star from 'lucide-react/icons/star';
import X from 'lucide-react/icons/x';
import { type ReactNode, useEffect, useState } from 'react';
import { type FlagsSearch, withChoice } from '../../app/searches.ts';
import { useIsNarrow } from '../../parts/data-list.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useProject } from '../../shell/project-context.ts';
import { chosenTags, sortOf, writtenTags } from './filter-flags.ts';
import classes from './flags.module.css';

/** The address follows the typing after this delay. */
const settleMs = 150;

interface FlagFiltersProps {
  readonly search: FlagsSearch;
  readonly tags: readonly string[];
  readonly onChange: (search: FlagsSearch) => void;
  /** Buttons at the end. */
  readonly children: ReactNode;
}

function SearchField({ search, onChange }: Pick<FlagFiltersProps, 'search' | 'onChange'>) {
  const stored = search.q ?? '';
  const [typed, setTyped] = useState(stored);
  const [seen, setSeen] = useState(stored);
  // The search changed by the back button, or by clearing the filters.
  if (seen !== stored) {
    setSeen(stored);
    if (typed.trim() !== stored) setTyped(stored);
  }
  const [path] = useState(window.location.pathname);
  // A member who opens a flag meanwhile has left this page: changing the address would bring them back.
  const apply = () => {
    if (typed.trim() === stored || window.location.pathname !== path) return;
    onChange(withChoice(search, 'q', typed.trim()));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it applies what is typed, after each change.
  useEffect(() => {
    const timer = setTimeout(apply, settleMs);
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
      onBlur={apply}
    />
  );
}

const stateChoices = [
  { value: '', label: 'On or off' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
  { value: 'nobody', label: 'On, reaches nobody' },
];

function StateFilter({ search, onChange }: Pick<FlagFiltersProps, 'search' | 'onChange'>) {
  const { environments } = useProject();
  const choose = (state: string) => {
    const next = withChoice(search, 'state', state);
    onChange(state === '' ? withChoice(next, 'environment', null) : next);
  };
  return (
    <>
      <NativeSelect
        aria-label="State"
        value={search.state ?? ''}
        data={stateChoices}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {search.state !== undefined && environments.length > 0 && (
        <NativeSelect
          aria-label="Environment of the state"
          value={search.environment ?? ''}
          data={[
            { value: '', label: 'in any environment' },
            ...environments.map(({ number, name }) => ({ value: String(number), label: `in ${name}` })),
          ]}
          onChange={(event) => onChange(withChoice(search, 'environment', event.currentTarget.value))}
        />
      )}
    </>
  );
}

const sortChoices = [
  { value: '', label: 'By name' },
  { value: '-name', label: 'By name, Z to A' },
  { value: 'production', label: 'On in production first' },
  { value: 'changed', label: 'Newest change first' },
  { value: '-changed', label: 'Oldest change first' },
];

function SortChoice({ search, onChange }: Pick<FlagFiltersProps, 'search' | 'onChange'>) {
  const { environments } = useProject();
  const { by, isReversed } = sortOf(search.sort);
  const sorted = environments.find(({ number }) => number === by);
  const own =
    sorted === undefined
      ? []
      : [{ value: search.sort ?? '', label: `${isReversed ? 'Off' : 'On'} in ${sorted.name} first` }];
  return (
    <NativeSelect
      aria-label="Order"
      value={sortChoices.some(({ value }) => value === search.sort) || own.length > 0 ? search.sort : ''}
      data={[...sortChoices, ...own]}
      onChange={(event) => onChange(withChoice(search, 'sort', event.currentTarget.value))}
    />
  );
}

export function ClearFilters({ onClear }: { readonly onClear: () => void }) {
  return (
    <Button variant="default" onClick={onClear}>
      Clear filters
    </Button>
  );
}

type TagFilterProps = Pick<FlagFiltersProps, 'search' | 'tags' | 'onChange'>;

/** Chooses one tag after another: a flag must have all of them. */
function TagFilter({ search, tags, onChange }: TagFilterProps) {
  const chosen = chosenTags(search);
  const choose = (next: readonly string[]) => onChange(withChoice(search, 'tag', writtenTags(next)));
  const others = tags.filter((tag) => !chosen.includes(tag));
  return (
    <>
      {others.length > 0 && (
        <NativeSelect
          aria-label="Tag"
          value=""
          data={[
            { value: '', label: chosen.length === 0 ? 'Any tag' : 'and tag …' },
            ...others.map((tag) => ({ value: tag, label: visibleName(tag) })),
          ]}
          onChange={(event) => choose([...chosen, event.currentTarget.value])}
        />
      )}
      {chosen.map((tag) => (
        <Button
          key={tag}
          className={classes.tagChoice}
          variant="default"
          rightSection={<X aria-hidden="true" />}
          aria-label={`Remove the tag ${visibleName(tag)}`}
          onClick={() => choose(chosen.filter((other) => other !== tag))}
        >
          <SafeName name={tag} />
        </Button>
      ))}
    </>
  );
}

function Choices({ search, tags, onChange, children }: FlagFiltersProps) {
  const { sort, ...filters } = search;
  return (
    <>
      <TagFilter {...{ search, tags, onChange }} />
      <StateFilter search={search} onChange={onChange} />
      <SortChoice search={search} onChange={onChange} />
      <Button
        variant={search.favourites === 'yes' ? 'light' : 'default'}
        aria-pressed={search.favourites === 'yes'}
        leftSection={<Star aria-hidden="true" />}
        onClick={() => onChange(withChoice(search, 'favourites', search.favourites === 'yes' ? null : 'yes'))}
      >
        Favourites
      </Button>
      {Object.keys(filters).length > 0 && (
        <ClearFilters onClear={() => onChange(sort === undefined ? {} : { sort })} />
      )}
      {children}
    </>
  );
}

/** Search and filters. In a narrow window the filters are behind a button. */
export function FlagFilters(props: FlagFiltersProps) {
  const { search, onChange } = props;
  const isNarrow = useIsNarrow();
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(search).filter((name) => name !== 'q' && name !== 'environment').length;
  return (
    <search className={classes.filters}>
      <SearchField search={search} onChange={onChange} />
      {isNarrow && (
        <Button
          variant="default"
          aria-expanded={isOpen}
          leftSection={<SlidersHorizontal aria-hidden="true" />}
          onClick={() => setOpen(!isOpen)}
        >
          Filters{count === 0 ? '' : ` (${count})`}
        </Button>
      )}
      {(!isNarrow || isOpen) && <Choices {...props} />}
    </search>
  );
}
