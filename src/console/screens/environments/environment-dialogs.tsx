import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { EnvironmentImpact, EnvironmentView } from '../../../contracts/console/project-views.ts';
import { isProduction } from '../../../domain/project/production.ts';
import { call } from '../../client/call.ts';
import { listedState } from '../../client/flag-list.ts';
import { flagsQuery, syncStreamsQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import type { AnswerProps } from '../../parts/busy-switch.tsx';
import { Callout } from '../../parts/callout.tsx';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { environmentRule, uniqueNameRule } from '../../parts/field-rules.ts';
import { showDone } from '../../parts/notices.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { countOf, environmentNameHint } from '../../parts/words.ts';
import { useProject, useProjectChange } from '../../shell/project-context.ts';
import { countWords } from '../flag/delete-flag.tsx';
import classes from './environments.module.css';

type TokenNames = EnvironmentImpact['tokensLosing'];

interface ShownImpact {
  /** While another name is typed, the impact of the last name. */
  readonly impact: EnvironmentImpact | undefined;
  /** The impact is that of the name in the field: renaming is not possible before it is shown. */
  readonly isKnown: boolean;
  /** Why it is not known: the name cannot be taken, or the service does not answer. */
  readonly error: Error | null;
}

/**
 * The effects of a change on tokens.
 *
 * @param number the environment's, or `new`
 * @param name the new name; empty for a deletion
 */
function useImpact(number: number | 'new', name: string): ShownImpact {
  const { id: projectId } = useProject();
  const [settled] = useDebouncedValue(name, 200);
  const { data, error, isSuccess, isPlaceholderData } = useQuery({
    queryKey: [projectId, 'preview-environment', number, settled] as const,
    queryFn: ({ signal }): Promise<EnvironmentImpact> =>
      call('preview-environment', { projectId, number }, null, {
        query: settled === '' ? {} : { name: settled },
        signal,
      }),
    placeholderData: keepPreviousData,
    enabled: number !== 'new' || settled !== '',
  });
  const isOfName = settled === name;
  return {
    impact: data,
    isKnown: isOfName && isSuccess && !isPlaceholderData,
    error: isOfName ? error : null,
  };
}

function TokenLinks({ tokens }: { readonly tokens: TokenNames }) {
  const { id: projectId } = useProject();
  return (
    <ul>
      {tokens.map(({ id, name }) => (
        <li key={id}>
          <Link to="/projects/$projectId/tokens/$tokenId" params={{ projectId, tokenId: id }}>
            <SafeName name={name} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Names the tokens that stop working for an environment, and those that begin to. */
function TokenImpact({ impact }: { readonly impact: EnvironmentImpact | undefined }) {
  if (impact === undefined) return null;
  const { tokensLosing, tokensGaining } = impact;
  return (
    <div role="status" className={classes.impact}>
      {tokensLosing.length > 0 && (
        <Callout tone="warn">
          <strong>These tokens stop working here.</strong> They are limited to the current name: replace them.
          <TokenLinks tokens={tokensLosing} />
        </Callout>
      )}
      {tokensGaining.length > 0 && (
        <Callout tone="warn">
          <strong>These tokens start to work here.</strong> They are limited to the new name.
          <TokenLinks tokens={tokensGaining} />
        </Callout>
      )}
    </div>
  );
}

export function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const { id: projectId, environments } = useProject();
  const apply = useProjectChange();
  const [name, setName] = useState('');
  const [chosen, setProtected] = useState<boolean | null>(null);
  // What is called production is protected unless that is unticked.
  const isProtected = chosen ?? isProduction({ name, isProtected: false });
  const rule = uniqueNameRule(
    environmentRule,
    environments.map((each) => each.name),
    'in this project',
  );
  const isAsked = rule.problemOf(name, true) === null;
  const { impact, isKnown, error } = useImpact('new', isAsked ? name : '');
  const create = useMutation({
    mutationFn: () => call('create-environment', { projectId }, { name, isProtected }),
    onSuccess: ({ project }) => {
      apply(project);
      showDone(`Created ${name}. Every flag is off there.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Create environment"
      submit="Create environment"
      isDirty={name !== ''}
      isBusy={create.isPending}
      isReady={!isAsked || isKnown}
      error={create.error ?? (isAsked ? error : null)}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        data-autofocus
        rule={rule}
        description={environmentNameHint}
        spellCheck={false}
        value={name}
        onText={(text) => setName(text.toLowerCase())}
      />
      <Checkbox
        label="Protected"
        description="Changes of flags here ask for confirmation."
        checked={isProtected}
        onChange={(event) => setProtected(event.currentTarget.checked)}
      />
      {isAsked && <TokenImpact impact={impact} />}
    </FormDialog>
  );
}

interface EnvironmentDialogProps {
  readonly environment: EnvironmentView;
  readonly onClose: () => void;
}

interface UnprotectProps extends AnswerProps {
  readonly name: string;
}

export function Unprotect({ name, onConfirm, onClose }: UnprotectProps) {
  return (
    <ConfirmDialog
      title={`Stop protecting ${name}?`}
      confirm="Stop protecting"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Text size="sm">
        Every Editor can then change flags in <strong>{name}</strong> without being asked to confirm: a single
        click or key switches a flag there.
      </Text>
    </ConfirmDialog>
  );
}

interface MeanwhileProps {
  readonly begun: string;
  /** Undefined when it was deleted. */
  readonly present: string | undefined;
}

/** Changes of others since the dialog was opened. */
function Meanwhile({ begun, present }: MeanwhileProps) {
  if (present === begun) return null;
  return (
    <Callout tone="warn">
      {present === undefined ? (
        'Another member has deleted this environment.'
      ) : (
        <>
          Another member has renamed this environment to <strong>{present}</strong>.
        </>
      )}
    </Callout>
  );
}

/** Flags follow a rename; tokens limited to the old name and applications that ask for it do not. */
export function RenameEnvironment({ environment, onClose }: EnvironmentDialogProps) {
  const { id: projectId, environments, environmentsRevision: revision } = useProject();
  const { number } = environment;
  const apply = useProjectChange();
  const [name, setName] = useState(environment.name);
  // The request starts from what this page shows, so the dialog shows changes of others since it was opened.
  const present = environments.find((each) => each.number === number);
  const presentName = present?.name ?? environment.name;
  const others = environments.filter((each) => each.number !== number).map((each) => each.name);
  const rule = uniqueNameRule(environmentRule, others, 'in this project');
  const isNew = present !== undefined && rule.problemOf(name, true) === null && name !== presentName;
  const { impact, isKnown, error } = useImpact(number, isNew ? name : presentName);
  const rename = useMutation({
    mutationFn: (_from: string) => call('edit-environment', { projectId, number }, { revision, name }),
    onSuccess: ({ project }, from) => {
      apply(project);
      showDone(`${from} is now ${name}.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Rename ${environment.name}`}
      submit="Rename"
      isDirty={name !== environment.name}
      isBusy={rename.isPending}
      isReady={isNew && isKnown}
      error={rename.error ?? (isNew ? error : null)}
      onSubmit={() => rename.mutate(presentName)}
      onClose={onClose}
    >
      <TextField
        label="New name"
        required
        data-autofocus
        rule={rule}
        description={environmentNameHint}
        spellCheck={false}
        value={name}
        onText={(text) => setName(text.toLowerCase())}
      />
      {!rename.isPending && <Meanwhile begun={environment.name} present={present?.name} />}
      <Callout tone="plain">
        Flags keep their state. Applications that ask for <strong>{presentName}</strong> get 404 until they
        use the new name.
      </Callout>
      {isNew && <TokenImpact impact={impact} />}
    </FormDialog>
  );
}

/** The flags that are on in an environment, of all that the page has read; and the programs that follow it. */
function useInUse({ number, name }: EnvironmentView) {
  const { id: projectId } = useProject();
  const { data: list } = useQuery(flagsQuery(projectId));
  const { data: streams } = useQuery(syncStreamsQuery(projectId));
  const on = list?.flags.filter((flag) => listedState(flag, number)?.enabled === true).length;
  const programs = streams?.environments
    .filter(({ environment }) => environment === name)
    .reduce((total, { streams: some }) => total + some, 0);
  const flagWords =
    list?.isWhole === true && on !== undefined
      ? `${countOf(on, 'flag')} ${on === 1 ? 'is' : 'are'} on there.`
      : 'Counting the flags that are on …';
  const programWords = programs ? ` ${countOf(programs, 'program')} connected there now.` : '';
  return { isLikely: (on ?? 0) > 0 || (programs ?? 0) > 0, words: `${flagWords}${programWords}` };
}

/** Says that a protected environment is not deleted. */
function StillProtected({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  return (
    <Dialog title={`${name} is protected`} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">Stop protecting it, then delete it.</Text>
        <Group justify="flex-end">
          <Button data-autofocus variant="default" onClick={onClose}>
            OK
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

export function DeleteEnvironment(props: EnvironmentDialogProps) {
  const { environment, onClose } = props;
  const present = useProject().environments.find(({ number }) => number === environment.number);
  if (present?.isProtected === true) return <StillProtected name={present.name} onClose={onClose} />;
  return <DeleteUnprotected {...props} />;
}

/** Says what would be lost, in use or not, before the name is typed. */
function DeleteUnprotected({ environment, onClose }: EnvironmentDialogProps) {
  const { id: projectId, environmentsRevision: revision } = useProject();
  const { number, name } = environment;
  const inUse = useInUse(environment);
  const apply = useProjectChange();
  const { impact, isKnown, error } = useImpact(number, '');
  const remove = useMutation({
    mutationFn: () => call('delete-environment', { projectId, number }, { revision, name }),
    onSuccess: ({ project }) => {
      apply(project);
      showDone(`Deleted ${name}.`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete environment"
      isDangerous
      typedName={name}
      isBusy={remove.isPending || (!isKnown && error === null)}
      error={remove.error ?? error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Callout tone={inUse.isLikely || (impact?.evaluations?.count ?? 0) > 0 ? 'warn' : 'plain'}>
          <span role="status">
            {impact?.evaluations?.isAtLeast && 'At least: '}
            {countWords(error === null ? impact?.evaluations?.count : null)}
          </span>{' '}
          {inUse.words}
        </Callout>
        <Text size="sm">
          All flags lose their state there, and applications that ask for <strong>{name}</strong> get 404.
          This cannot be undone.
        </Text>
        <TokenImpact impact={impact} />
      </Stack>
    </ConfirmDialog>
  );
}
