import { Kbd, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { FlagsSearch } from '../../app/searches.ts';
import { useProject } from '../../shell/project-context.ts';
import classes from './flags.module.css';

/** The address follows the typing at this distance. */
const settleMs = 150;

interface FlagFiltersProps {
  readonly search: Partial<FlagsSearch>;
  readonly tags: readonly string[];
  readonly onChange: (search: Partial<FlagsSearch>) => void;
}

/** A chosen value, or the filter left out. */
function withChoice(
  search: Partial<FlagsSearch>,
  name: keyof FlagsSearch,
  value: string,
): Partial<FlagsSearch> {
  const rest = Object.entries(search).filter(([other]) => other !== name);
  return Object.fromEntries(value === '' ? rest : [...rest, [name, value]]) as Partial<FlagsSearch>;
}

function SearchField({ search, onChange }: Omit<FlagFiltersProps, 'tags'>) {
  const stored = search.q ?? '';
  const [typed, setTyped] = useState(stored);
  const [seen, setSeen] = useState(stored);
  // The back button, or a cleared filter.
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
    <TextInput
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
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

export function FlagFilters({ search, tags, onChange }: FlagFiltersProps) {
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
