import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { call } from '../../client/call.ts';
import { isDeletedMeanwhile, isUnreadable } from '../../client/console-error.ts';
import { audienceQuery, audiencesQuery } from '../../client/queries.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, saveDraft, useDraft } from '../../draft/use-draft.ts';
import { Callout } from '../../parts/callout.tsx';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { EnvironmentName } from '../../parts/environment-name.tsx';
import { nameRule, renamingRule, uniqueNameRule } from '../../parts/field-rules.ts';
import { showDone } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf } from '../../parts/words.ts';
import { ProjectLink } from '../../shell/pages.tsx';
import { useAudiencesAvailable, useCanEdit, useProject } from '../../shell/project-context.ts';
import { Gone } from '../gone.tsx';
import classes from './audiences.module.css';
import { type EditedRule, editedRules, RulesEditor } from './rules-editor.tsx';

/** The flags that an audience limits, each with a link and its environments. */
function WhereUsed({ audience: { uses, useCount } }: { readonly audience: AudienceView }) {
  const { id: projectId, environments } = useProject();
  const environmentOf = (wanted: number) => environments.find(({ number }) => number === wanted);
  if (useCount === 0) return <p className={classes.quiet}>No flags use this audience.</p>;
  return (
    <ul className={classes.uses}>
      {uses.map(({ flagId, flagName, environmentNumbers }) => (
        <li key={flagId}>
          <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId }}>
            <SafeName name={flagName} />
          </Link>
          <span className={classes.places}>
            {environmentNumbers
              .map(environmentOf)
              .map(
                (environment) =>
                  environment !== undefined && (
                    <EnvironmentName key={environment.number} environment={environment} isBrief />
                  ),
              )}
          </span>
        </li>
      ))}
      {useCount > uses.length && <li className={classes.quiet}>and {useCount - uses.length} more</li>}
    </ul>
  );
}

interface DeleteAudienceProps {
  readonly audience: AudienceView;
  readonly onClose: () => void;
}

/** An audience in use is not deleted: the flags that use it are shown instead. */
function StillInUse({ audience, onClose }: DeleteAudienceProps) {
  return (
    <Dialog onClose={onClose} title={`${visibleName(audience.name)} is still in use`}>
      <Stack gap="md">
        <Text size="sm">Detach it from these flags first:</Text>
        <WhereUsed audience={audience} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function DeleteAudience({ audience, onClose }: DeleteAudienceProps) {
  const { id: audienceId, projectId, name, revision, useCount } = audience;
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call('delete-audience', { projectId, audienceId }, { revision }),
    onSuccess: async () => {
      showDone(`Deleted ${visibleName(name)}.`);
      await navigate({ to: '/projects/$projectId/audiences', params: { projectId }, ignoreBlocker: true });
      client.removeQueries({ queryKey: audienceQuery(projectId, audienceId).queryKey });
      await client.invalidateQueries({ queryKey: [projectId] });
    },
    // Another member has attached it in the meantime: the list of uses is read again.
    onError: () => client.invalidateQueries({ queryKey: audienceQuery(projectId, audienceId).queryKey }),
  });
  if (useCount > 0) return <StillInUse audience={audience} onClose={onClose} />;
  return (
    <ConfirmDialog
      title={`Delete ${visibleName(name)}?`}
      confirm="Delete audience"
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text size="sm">No flags use this audience. This cannot be undone.</Text>
    </ConfirmDialog>
  );
}

const listedMax = 10;

function protectedUses({ uses }: AudienceView, { environments, isProtected: isAll }: ProjectView) {
  if (isAll) return uses.map(({ flagId, flagName }) => ({ flagId, flagName, names: ['this project'] }));
  const guarded = environments.filter(({ isProtected }) => isProtected);
  return uses
    .map(({ flagId, flagName, environmentNumbers }) => {
      const names = guarded.filter(({ number }) => environmentNumbers.includes(number));
      return { flagId, flagName, names: names.map(({ name }) => name) };
    })
    .filter(({ names }) => names.length > 0);
}

/**
 * The effects of a change of rules on protected environments, by the names of flags and environments; null for none.
 */
function protectedUsesWarning(audience: AudienceView, project: ProjectView) {
  const uses = protectedUses(audience, project);
  if (uses.length === 0) return null;
  const unlisted = audience.useCount - audience.uses.length;
  const more = Math.max(0, uses.length - listedMax) + unlisted;
  return (
    <>
      <Text size="sm">Saving changes at once what these flags answer in protected environments:</Text>
      <ul>
        {uses.slice(0, listedMax).map(({ flagId, flagName, names }) => (
          <li key={flagId}>
            <strong>
              <SafeName name={flagName} />
            </strong>{' '}
            in <strong>{names.join(', ')}</strong>
          </li>
        ))}
        {more > 0 && <li>and up to {countOf(more, 'other flag')}</li>}
      </ul>
    </>
  );
}

const route = getRouteApi('/shell/projects/$projectId/audiences/$audienceId');

const roleReason = 'Read-only: ask an Editor for changes.';
const planReason =
  'Read-only: changing audiences needs an organisation with the Teams plan. Attached audiences keep working.';

function storedOf({ name, rules, revision }: AudienceView) {
  return { fields: { name, rules: editedRules(rules) }, revision };
}

function useSave({ id: audienceId, projectId }: AudienceView, handle: DraftHandle) {
  const client = useQueryClient();
  return async () => {
    const { name } = await saveDraft(handle, storedOf, async ({ revision, edits }) => {
      const stored = await call('edit-audience', { projectId, audienceId }, { revision, ...edits });
      client.setQueryData(audienceQuery(projectId, audienceId).queryKey, stored);
      return stored;
    });
    void client.invalidateQueries({ queryKey: [projectId] });
    showDone(`Saved ${visibleName(name)}. Flags that use it change at once.`);
  };
}

interface LoadedProps {
  readonly audience: AudienceView;
  readonly isDeleted: boolean;
}

function Loaded({ audience, isDeleted }: LoadedProps) {
  const project = useProject();
  const canEdit = useCanEdit();
  const isEditable = useAudiencesAvailable() && canEdit;
  const stored = storedOf(audience);
  const handle = useDraft(stored.fields, stored.revision);
  const [isDeleting, deletion] = useDisclosure(false);
  const rules = handle.value('rules') as EditedRule[];
  const changesRules = handle.changes.some(({ key }) => key === 'rules');
  const name = handle.value('name') as string;
  const others = (useQuery(audiencesQuery(audience.projectId)).data?.audiences ?? [])
    .filter(({ id }) => id !== audience.id)
    .map((other) => other.name);
  const rule = renamingRule(uniqueNameRule(nameRule, others, 'in this project'), audience.name);
  const save = useSave(audience, handle);
  if (isDeleted) {
    const changes = handle.changes.map(({ key, ...values }) => ({
      environment: null,
      field: key,
      ...values,
    }));
    const above = <ProjectLink to="/projects/$projectId/audiences">Audiences</ProjectLink>;
    return <Gone kind="audience" id={audience.id} name={audience.name} {...{ changes, above }} />;
  }
  const isIncomplete = rules.some(({ attribute, values }) => attribute === '' || values.length === 0);
  const ruleProblem = isIncomplete ? 'Each rule needs an attribute and at least one value.' : null;
  return (
    <>
      <PageHead
        title={visibleName(name)}
        above={<ProjectLink to="/projects/$projectId/audiences">Audiences</ProjectLink>}
        actions={
          canEdit && (
            <Button variant="danger" onClick={deletion.open}>
              Delete audience …
            </Button>
          )
        }
      />
      <Stack gap="md">
        {!isEditable && <Callout tone="plain">{canEdit ? planReason : roleReason}</Callout>}
        <Panel title="Name and rules">
          <Stack gap="md">
            <TextField
              label="Name"
              maw={420}
              rule={isEditable ? rule : undefined}
              disabled={!isEditable}
              value={name}
              onText={(next) => handle.edit({ name: next })}
            />
            <RulesEditor
              rules={rules}
              isReadOnly={!isEditable}
              onChange={(next) => handle.edit({ rules: next })}
            />
          </Stack>
        </Panel>
        <Panel title="Where it is used">
          <WhereUsed audience={audience} />
        </Panel>
      </Stack>
      <ReviewBar
        handle={handle}
        problem={rule.problemOf(name, true) ?? ruleProblem}
        warning={changesRules && protectedUsesWarning(audience, project)}
        onSave={save}
      />
      {isDeleting && <DeleteAudience audience={audience} onClose={deletion.close} />}
    </>
  );
}

export function AudienceScreen() {
  const { id: projectId } = useProject();
  const { audienceId } = route.useParams();
  const audience = useQuery(audienceQuery(projectId, audienceId));
  const isDeleted = isDeletedMeanwhile(audience);
  if (audience.isPending || (isUnreadable(audience) && !isDeleted)) {
    const all = <ProjectLink to="/projects/$projectId/audiences">All audiences</ProjectLink>;
    return <PageUnread isPage of={audience} what="the audience" action={all} />;
  }
  return audience.data && <Loaded key={audienceId} audience={audience.data} isDeleted={isDeleted} />;
}
