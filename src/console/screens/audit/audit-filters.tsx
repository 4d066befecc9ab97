import { NativeSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { auditActions } from '../../../domain/audit/audit-entry.ts';
import { type AuditSearch, withChoice } from '../../app/searches.ts';
import { flagsQuery, membersQuery, tokensQuery } from '../../client/queries.ts';
import { TextField } from '../../parts/text-field.tsx';
import { useSession } from '../../shell/use-session.ts';
import { actionChoice } from './action-words.ts';
import classes from './audit.module.css';
import { type AuditQuery, useSeenEntries } from './audit-pages.ts';

/** An option of a filter: the value that is sent, and its label. */
interface Choice {
  readonly value: string;
  readonly label: string;
}

type Actor = AuditEntryView['actor'];

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Each value once, with its first label. The chosen value is always among them, so that an active filter is visible.
 */
function distinct(choices: readonly Choice[], chosen: string | undefined): readonly Choice[] {
  const known = new Map<string, Choice>();
  for (const choice of choices) if (!known.has(choice.value)) known.set(choice.value, choice);
  if (chosen !== undefined && !known.has(chosen)) known.set(chosen, { value: chosen, label: chosen });
  return [...known.values()];
}

/** An actor as the API names it: `member:ID`, `token:ID` or `operator`. */
function actorChoice({ kind, id, name }: Actor): Choice {
  if (kind === 'operator') return { value: kind, label: 'The operator' };
  return { value: `${kind}:${id}`, label: kind === 'token' ? `${name} (token)` : name };
}

function actorChoices(
  members: readonly Named[],
  tokens: readonly Named[],
  entries: readonly AuditEntryView[],
): readonly Choice[] {
  const present: Actor[] = [
    ...members.map(({ id, name }): Actor => ({ kind: 'member', id, name })),
    ...tokens.map(({ id, name }): Actor => ({ kind: 'token', id, name })),
    { kind: 'operator', id: '', name: '' },
  ];
  return [...present, ...entries.map(({ actor }) => actor)].map(actorChoice);
}

/** Flags in entries that the project does not have: they are deleted, or another project's. */
function namedFlags(projectId: string, entries: readonly AuditEntryView[]): readonly Choice[] {
  const named = entries.filter(({ action }) => action.startsWith('flag.'));
  return named.map(({ targetId, targetName, ...entry }) => {
    const place = entry.projectId === projectId ? 'deleted' : (entry.projectName ?? 'deleted');
    return { value: targetId, label: `${targetName} (${place})` };
  });
}

interface AuditFiltersProps {
  /** Null without a project: then the whole organisation's entries are read. */
  readonly project: ProjectView | null;
  readonly search: AuditSearch;
  /** The present search. */
  readonly filter: AuditQuery;
  readonly onChange: (search: AuditSearch) => void;
}

/** The options of the filters, with deleted records that entries still name. */
function useAuditChoices({ project, search, filter }: Omit<AuditFiltersProps, 'onChange'>) {
  const { member: self, organisation } = useSession();
  const id = project?.id ?? '';
  const isShared = organisation !== null && project?.isPersonal !== true;
  const members = useQuery({ ...membersQuery, enabled: isShared }).data?.members ?? [];
  const tokens = useQuery({ ...tokensQuery(id), enabled: isShared && project !== null }).data?.tokens ?? [];
  const known = useQuery({ ...flagsQuery(id), enabled: project !== null }).data?.flags ?? null;
  const flags = project === null ? [] : known;
  const entries = useSeenEntries(id, project === null || search.scope === 'organisation', filter);
  const present = (flags ?? []).map((flag): Choice => ({ value: flag.id, label: flag.name }));
  // Until the flags are known, deleted ones cannot be distinguished from the others.
  const gone = flags === null ? [] : namedFlags(id, entries);
  const names = [
    ...(project?.environments ?? []).map(({ name }) => name),
    ...entries.map((entry) => entry.environment),
  ];
  const environments = names.filter((name) => name !== null).map((name) => ({ value: name, label: name }));
  return {
    actors: distinct(actorChoices([...members, self], tokens, entries), search.actor),
    flags: distinct([...present, ...gone], search.flag),
    environments: distinct(environments, search.environment),
  };
}

export function AuditFilters({ project, search, filter, onChange }: AuditFiltersProps) {
  const { organisation } = useSession();
  const { actors, flags, environments } = useAuditChoices({ project, search, filter });
  const choose = (name: keyof AuditSearch, value: string | null) => onChange(withChoice(search, name, value));
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
      <TextField label="From" type="date" value={search.from ?? ''} onText={(text) => choose('from', text)} />
      <TextField label="Until" type="date" value={search.to ?? ''} onText={(text) => choose('to', text)} />
    </search>
  );
}
