import { NativeSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditEntryView } from '../../../contracts/console/views/audit-views.ts';
import type { MemberView } from '../../../contracts/console/views/member-views.ts';
import type { ProjectView } from '../../../contracts/console/views/project-views.ts';
import { auditActions } from '../../../domain/audit/audit-entry.ts';
import { type AuditSearch, withChoice } from '../../app/searches.ts';
import { flagsQuery, membersQuery, tokensQuery } from '../../client/queries.ts';
import { TextField } from '../../parts/text-field.tsx';
import { useSession } from '../../shell/use-session.ts';
import { actionChoice } from './action-words.ts';
import classes from './audit.module.css';
import { type AuditQuery, useSeenEntries } from './audit-pages.ts';

/** What a filter offers: the value that is asked for, and what it is called. */
interface Choice {
  readonly value: string;
  readonly label: string;
}

type Actor = AuditEntryView['actor'];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Each value once, with its first label. The chosen value is always among them, so that an active filter is shown. */
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

interface Actors {
  readonly self: MemberView;
  readonly members: readonly MemberView[];
  readonly tokens: readonly Named[];
  /** They name actors that are deleted. */
  readonly entries: readonly AuditEntryView[];
}

function actorChoices(
  { self, members, tokens, entries }: Actors,
  chosen: string | undefined,
): readonly Choice[] {
  const present: Actor[] = [
    ...[...members, self].map(({ id, name }): Actor => ({ kind: 'member', id, name })),
    ...tokens.map(({ id, name }): Actor => ({ kind: 'token', id, name })),
    { kind: 'operator', id: '', name: '' },
  ];
  return distinct([...present, ...entries.map(({ actor }) => actor)].map(actorChoice), chosen);
}

/** Where a flag is that the project does not have. */
function elsewhere(entry: AuditEntryView, projectId: string): string {
  return entry.projectId === projectId ? 'deleted' : (entry.projectName ?? 'deleted');
}

/** @param flags null while they are not known: then deleted ones cannot be told */
function flagChoices(
  projectId: string,
  flags: readonly Named[] | null,
  entries: readonly AuditEntryView[],
  chosen: string | undefined,
): readonly Choice[] {
  const present = (flags ?? []).map(({ id, name }): Choice => ({ value: id, label: name }));
  const gone = (flags === null ? [] : entries)
    .filter(({ action }) => action.startsWith('flag.'))
    .map(
      (entry): Choice => ({
        value: entry.targetId,
        label: `${entry.targetName} (${elsewhere(entry, projectId)})`,
      }),
    );
  return distinct([...present, ...gone], chosen);
}

/** Names that environments have, and those that entries say they had. */
function environmentChoices(
  environments: readonly { readonly name: string }[],
  entries: readonly AuditEntryView[],
  chosen: string | undefined,
): readonly Choice[] {
  const names = [...environments.map(({ name }) => name), ...entries.map(({ environment }) => environment)];
  const named = names.filter((name) => name !== null);
  return distinct(
    named.map((name) => ({ value: name, label: name })),
    chosen,
  );
}

interface AuditFiltersProps {
  /** Null where no project is at hand: then the whole organisation's entries are asked for. */
  readonly project: ProjectView | null;
  readonly search: AuditSearch;
  /** What the search asks for. */
  readonly filter: AuditQuery;
  readonly onChange: (search: AuditSearch) => void;
}

interface AuditChoices {
  readonly actors: readonly Choice[];
  readonly flags: readonly Choice[];
  readonly environments: readonly Choice[];
}

/** What there is to filter by, with deleted things that entries still name. */
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
