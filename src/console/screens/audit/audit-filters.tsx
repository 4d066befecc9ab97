import { NativeSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { auditActions } from '../../../domain/audit/audit-entry.ts';
import type { AuditSearch } from '../../app/searches.ts';
import { flagsQuery, membersQuery, tokensQuery } from '../../client/queries.ts';
import { useSession } from '../../shell/use-session.ts';
import { actionChoice } from './action-words.ts';
import classes from './audit.module.css';
import { actorChoices, type Choice, environmentChoices, flagChoices } from './audit-choices.ts';
import { type AuditFilter, useSeenEntries } from './audit-pages.ts';

interface AuditFiltersProps {
  /** Null where no project is at hand: then the whole organisation's entries are asked for. */
  readonly project: ProjectView | null;
  readonly search: Partial<AuditSearch>;
  /** What the search asks for. */
  readonly filter: AuditFilter;
  readonly onChange: (search: Partial<AuditSearch>) => void;
}

interface AuditChoices {
  readonly actors: readonly Choice[];
  readonly flags: readonly Choice[];
  readonly environments: readonly Choice[];
}

/** Whatever there is to ask for, and what the entries tell of that is gone. */
function useAuditChoices({ project, search, filter }: Omit<AuditFiltersProps, 'onChange'>): AuditChoices {
  const { member: self, organisation } = useSession();
  const id = project?.id ?? '';
  const isShared = organisation !== null && project?.isPersonal !== true;
  const members = useQuery({ ...membersQuery, enabled: isShared }).data?.members ?? [];
  const tokens = useQuery({ ...tokensQuery(id), enabled: isShared && project !== null }).data?.tokens ?? [];
  const known = useQuery({ ...flagsQuery(id), enabled: project !== null }).data?.flags ?? null;
  const flags = project === null ? [] : known;
  const entries = useSeenEntries(id, project === null || search.scope === 'organisation', filter);
  return {
    actors: actorChoices({ self, members, tokens, entries }, search.actor),
    flags: flagChoices(id, flags, entries, search.flag),
    environments: environmentChoices(project?.environments ?? [], entries, search.environment),
  };
}

export function AuditFilters({ project, search, filter, onChange }: AuditFiltersProps) {
  const { organisation } = useSession();
  const { actors, flags, environments } = useAuditChoices({ project, search, filter });
  const choose = (name: keyof AuditSearch, value: string | null) => {
    const rest = Object.entries(search).filter(([other]) => other !== name);
    onChange(Object.fromEntries(value === null || value === '' ? rest : [...rest, [name, value]]));
  };
  return (
    <search className={classes.filters}>
      {organisation !== null && project?.isPersonal === false && (
        <NativeSelect
          label="Scope"
          value={search.scope ?? ''}
          data={[
            { value: '', label: 'this project' },
            { value: 'organisation', label: organisation.name },
          ]}
          onChange={(event) => choose('scope', event.currentTarget.value)}
        />
      )}
      <Select
        label="By"
        placeholder="anybody"
        clearable
        searchable
        data={actors}
        value={search.actor ?? null}
        onChange={(value) => choose('actor', value)}
      />
      <Select
        label="Flag"
        placeholder="any"
        clearable
        searchable
        limit={50}
        data={flags}
        value={search.flag ?? null}
        onChange={(value) => choose('flag', value)}
      />
      {environments.length > 0 && (
        <NativeSelect
          label="Environment"
          value={search.environment ?? ''}
          data={[{ value: '', label: 'any' }, ...environments]}
          onChange={(event) => choose('environment', event.currentTarget.value)}
        />
      )}
      <NativeSelect
        label="Kind"
        value={search.action ?? ''}
        data={[
          { value: '', label: 'any' },
          ...auditActions.map((action) => ({ value: action, label: actionChoice(action) })),
        ]}
        onChange={(event) => choose('action', event.currentTarget.value)}
      />
      <TextInput
        label="From"
        type="date"
        value={search.from ?? ''}
        onChange={(event) => choose('from', event.currentTarget.value)}
      />
      <TextInput
        label="Until"
        type="date"
        value={search.to ?? ''}
        onChange={(event) => choose('to', event.currentTarget.value)}
      />
    </search>
  );
}
