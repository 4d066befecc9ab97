import { NativeSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { auditActions } from '../../../domain/audit/audit-entry.ts';
import type { AuditSearch } from '../../app/searches.ts';
import { flagsQuery, membersQuery, tokensQuery } from '../../client/queries.ts';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';
import { actionWords } from './action-words.ts';
import classes from './audit.module.css';

interface AuditFiltersProps {
  readonly search: Partial<AuditSearch>;
  readonly onChange: (search: Partial<AuditSearch>) => void;
}

/** Whoever can have done something: members by id, and the project's tokens. */
function useActors(): readonly { value: string; label: string }[] {
  const { organisation } = useSession();
  const { id, isPersonal } = useProject();
  const isShared = organisation !== null && !isPersonal;
  const members = useQuery({ ...membersQuery, enabled: isShared }).data?.members ?? [];
  const tokens = useQuery({ ...tokensQuery(id), enabled: isShared }).data?.tokens ?? [];
  return [
    ...members.map((member) => ({ value: member.id, label: member.name })),
    ...tokens.map((token) => ({ value: token.id, label: `${token.name} (token)` })),
  ];
}

function useFlagChoices(): readonly { value: string; label: string }[] {
  const { id } = useProject();
  const flags = useQuery(flagsQuery(id)).data?.flags ?? [];
  return flags.map((flag) => ({ value: flag.id, label: flag.name }));
}

export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const { environments, isPersonal } = useProject();
  const { organisation } = useSession();
  const actors = useActors();
  const flags = useFlagChoices();
  const choose = (name: keyof AuditSearch, value: string | null) => {
    const rest = Object.entries(search).filter(([other]) => other !== name);
    onChange(Object.fromEntries(value === null || value === '' ? rest : [...rest, [name, value]]));
  };
  return (
    <search className={classes.filters}>
      {organisation !== null && !isPersonal && (
        <NativeSelect
          label="Of"
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
          data={[{ value: '', label: 'any' }, ...environments.map(({ name }) => name)]}
          onChange={(event) => choose('environment', event.currentTarget.value)}
        />
      )}
      <NativeSelect
        label="Kind"
        value={search.action ?? ''}
        data={[
          { value: '', label: 'any' },
          ...auditActions.map((action) => ({ value: action, label: actionWords[action] })),
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
