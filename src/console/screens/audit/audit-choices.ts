import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import type { MemberView } from '../../../contracts/console/member-views.ts';

/** What a filter offers: the value that is asked for, and what it is called. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

type Actor = AuditEntryView['actor'];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Each value once, as it is called first. A chosen one is among them, whatever it is: a filter that holds is shown. */
function distinct(choices: readonly Choice[], chosen: string | undefined): readonly Choice[] {
  const known = new Map<string, Choice>();
  for (const choice of choices) if (!known.has(choice.value)) known.set(choice.value, choice);
  if (chosen !== undefined && !known.has(chosen)) known.set(chosen, { value: chosen, label: chosen });
  return [...known.values()];
}

/** As the API names whoever did something: `member:ID`, `token:ID` or `operator`. */
function actorChoice({ kind, id, name }: Actor): Choice {
  if (kind === 'operator') return { value: kind, label: 'The operator' };
  return { value: `${kind}:${id}`, label: kind === 'token' ? `${name} (token)` : name };
}

interface Actors {
  readonly self: MemberView;
  readonly members: readonly MemberView[];
  readonly tokens: readonly Named[];
  /** They know who is gone. */
  readonly entries: readonly AuditEntryView[];
}

export function actorChoices(
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

/** @param flags null while they are not known: then nothing tells those that are deleted */
export function flagChoices(
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
export function environmentChoices(
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
