import {
  type ComboboxItem,
  type ComboboxParsedItem,
  NativeSelect,
  type OptionsFilter,
  Select,
  type SelectProps,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { auditActions } from '../../../domain/audit/audit-entry.ts';
import { type AuditSearch, withChoice } from '../../app/searches.ts';
import { projectsQuery } from '../../client/queries.ts';
import { zonedDay } from '../../parts/format-time.ts';
import { TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { searchedWords } from '../../parts/words.ts';
import { useSession } from '../../shell/use-session.ts';
import { kindWord } from './action-words.ts';
import classes from './audit.module.css';
import {
  type Choice,
  type ChoiceScope,
  environmentValue,
  readEnvironmentValue,
  useActorChoices,
  useEnvironmentChoices,
  useFlagChoices,
} from './audit-choices.ts';
import { type AuditQuery, useSeenEntries } from './audit-pages.ts';

/** Options shown at most; typing finds the others. */
const optionsShownMax = 100;
/** How long after the last key the service is asked. */
const quietMs = 100;

const common: SelectProps = {
  clearable: true,
  searchable: true,
  limit: optionsShownMax,
  nothingFoundMessage: 'No matches',
  renderOption: ({ option }) => {
    const { label, note } = option as ComboboxItem & Choice;
    return (
      <span className={classes.choice}>
        <span>{label}</span>
        {note !== undefined && <span className={classes.note}>{note}</span>}
      </span>
    );
  },
};

/** Each typed word is in the option's label, its note or the heading above it. */
const byWords: OptionsFilter = ({ options, search, limit }) => {
  const words = searchedWords(search);
  let left = limit;
  const matching = (items: readonly ComboboxItem[], group: string) => {
    const found = items.filter((item) => {
      const own = `${item.label} ${(item as Choice).note ?? ''} ${group}`.toLowerCase();
      return words.every((word) => own.includes(word));
    });
    const shown = found.slice(0, left);
    left -= shown.length;
    return shown;
  };
  return options.flatMap((option): ComboboxParsedItem[] => {
    if (!('group' in option)) return matching([option], '');
    const items = matching(option.items, String(option.group));
    return items.length === 0 ? [] : [{ ...option, items }];
  });
};

interface FilterProps {
  readonly scope: ChoiceScope;
  readonly choose: (search: AuditSearch) => void;
}

function ActorFilter({ scope, choose }: FilterProps) {
  const [isWanted, setWanted] = useState(false);
  const { search } = scope;
  return (
    <Select
      label="By"
      placeholder="anybody"
      {...common}
      filter={byWords}
      data={useActorChoices(scope, isWanted)}
      value={search.actor ?? null}
      onDropdownOpen={() => setWanted(true)}
      onChange={(value) => choose(withChoice(search, 'actor', value))}
    />
  );
}

function FlagFilter({ scope, choose }: FilterProps) {
  const { search } = scope;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, quietMs);
  const choices = useFlagChoices(scope, { text, isOpen });
  const chosen = choices.find(({ value }) => value === search.flag);
  return (
    <Select
      label="Flag"
      placeholder="any"
      {...common}
      // The service has chosen them.
      filter={({ options }) => options}
      data={choices}
      value={search.flag ?? null}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // The field also shows the chosen flag, which is not a search.
      onSearchChange={(next) => setTyped(next === chosen?.label ? '' : next)}
      onChange={(value) => choose(withChoice(search, 'flag', value))}
    />
  );
}

function EnvironmentFilter({ scope, choose }: FilterProps) {
  const { search } = scope;
  const groups = useEnvironmentChoices(scope);
  const pick = (value: string | null) => {
    if (value === null) return choose(withChoice(search, 'environment', null));
    const { projectId, name } = readEnvironmentValue(value);
    const named = withChoice(search, 'environment', name);
    choose(projectId === '' ? named : withChoice(named, 'project', projectId));
  };
  if (groups.length === 0) return null;
  const isOne = groups.length === 1;
  const [first] = groups;
  return (
    <Select
      label="Environment"
      placeholder="any"
      {...common}
      filter={byWords}
      data={isOne ? (first?.items ?? []) : groups}
      value={search.environment === undefined ? null : environmentValue(search.project, search.environment)}
      onChange={pick}
    />
  );
}

/** In the organisation's log. Environments belong to a project, so that another choice drops them. */
function ProjectFilter({ scope, choose }: FilterProps) {
  const { search } = scope;
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const shared = projects.filter(({ isPersonal }) => !isPersonal);
  return (
    <Select
      label="Project"
      placeholder="any"
      {...common}
      filter={byWords}
      data={shared.map(({ id, name }) => ({ value: id, label: visibleName(name) }))}
      value={search.project ?? null}
      onChange={(value) => choose(withChoice(withChoice(search, 'environment', null), 'project', value))}
    />
  );
}

const days = [
  ['from', 'From'],
  ['to', 'Until'],
] as const;
/** Of `2026-01-31`. */
const dayLength = 10;

interface AuditFiltersProps {
  /** Null without a project: then the whole organisation's entries are read. */
  readonly project: ProjectView | null;
  readonly search: AuditSearch;
  /** The present search. */
  readonly filter: AuditQuery;
  readonly onChange: (search: AuditSearch) => void;
}

export function AuditFilters({ project, search, filter, onChange }: AuditFiltersProps) {
  const { organisation } = useSession();
  const isWhole = project === null || search.scope === 'organisation';
  const entries = useSeenEntries(project?.id ?? '', isWhole, filter);
  const filters: FilterProps = { scope: { project, search, entries }, choose: onChange };
  const choose = (name: keyof AuditSearch, value: string | null) => onChange(withChoice(search, name, value));
  return (
    <search className={classes.filters}>
      {organisation !== null && project?.isPersonal === false && (
        <NativeSelect
          label="Scope"
          value={search.scope ?? ''}
          data={[
            { value: '', label: 'this project' },
            { value: 'organisation', label: visibleName(organisation.name) },
          ]}
          onChange={(event) => choose('scope', event.currentTarget.value)}
        />
      )}
      {isWhole && organisation !== null && <ProjectFilter {...filters} />}
      <ActorFilter {...filters} />
      <FlagFilter {...filters} />
      <EnvironmentFilter {...filters} />
      <NativeSelect
        label="Kind"
        value={search.action ?? ''}
        data={[
          { value: '', label: 'any' },
          ...auditActions.map((action) => ({ value: action, label: kindWord(action) })),
        ]}
        onChange={(event) => choose('action', event.currentTarget.value)}
      />
      {days.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          type="date"
          value={search[name]?.slice(0, dayLength) ?? ''}
          onText={(day) => choose(name, day === '' ? null : zonedDay(day))}
        />
      ))}
    </search>
  );
}
