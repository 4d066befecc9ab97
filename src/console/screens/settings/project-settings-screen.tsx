import { Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { slugsMax } from '../../../domain/bounds.ts';
import { call } from '../../client/call.ts';
import { projectsQuery } from '../../client/queries.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, saveDraft, useDraft } from '../../draft/use-draft.ts';
import { GuardedSwitch } from '../../parts/busy-switch.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { nameRule, renamingRule, slugField, uniqueNameRule } from '../../parts/field-rules.ts';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { CopyButton } from '../../parts/small-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { useCanAdminister, useProject, useProjectChange } from '../../shell/project-context.ts';
import { Unprotect } from '../environments/environment-dialogs.tsx';

/** Switching off refuses every evaluation, so a dialog asks first, also for an Undo. Switching on acts at once. */
function AccessSwitch({ project }: { readonly project: ProjectView }) {
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const { id: projectId, name, evaluationAccess } = project;
  const turn = useMutation({
    mutationFn: ({ next, revision }: { next: boolean; revision: number }) =>
      call('edit-project', { projectId }, { revision, evaluationAccess: next }),
    onError: (error, wish) =>
      showFailure(error, {
        what: `Switching the Evaluation API ${wish.next ? 'on' : 'off'} for ${visibleName(name)}`,
        about: `evaluation of ${projectId}`,
        retry: () => turn.mutate(wish),
      }),
    onSuccess: (stored) => {
      apply(stored);
      const { evaluationAccess: isOn, revision } = stored;
      const again = () => turn.mutate({ next: true, revision });
      showDone(`Evaluation API ${isOn ? 'on' : 'off'} for ${visibleName(name)}.`, isOn ? undefined : again);
    },
  });
  return (
    <Stack gap="xs">
      <GuardedSwitch
        size="md"
        busy={turn.isPending ? `Switching ${turn.variables.next ? 'on' : 'off'} …` : null}
        aria-label="Evaluation API access"
        label={evaluationAccess ? 'On' : 'Off'}
        checked={evaluationAccess}
        disabled={!canAdminister}
        onChoose={(next) => turn.mutate({ next, revision: project.revision })}
        question={(answer) => (
          <ConfirmDialog
            title={`Switch the Evaluation API off for ${visibleName(name)}?`}
            confirm="Switch off"
            isDangerous
            {...answer}
          >
            <Text size="sm">
              Every application that asks for a flag of <SafeName name={name} /> is refused at once (HTTP
              403), in all environments. Applications then use their own default values.
            </Text>
          </ConfirmDialog>
        )}
      />
      <Text size="sm" c="dimmed">
        While off, every application that asks for a flag of this project is refused (HTTP 403).
        {!canAdminister && ' Read-only: ask an Admin for changes.'}
      </Text>
    </Stack>
  );
}

/** Switching on lets everyone who knows the slug ask for flags. Switching off refuses programs that use it. */
function PublicSlugSwitch({ project, slug }: { readonly project: ProjectView; readonly slug: string }) {
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const { id: projectId, isSlugPublic } = project;
  const turn = useMutation({
    mutationFn: (next: boolean) =>
      call('edit-project', { projectId }, { revision: project.revision, isSlugPublic: next }),
    onError: (error, next) =>
      showFailure(error, {
        what: `Making the slug ${slug} ${next ? 'public' : 'private'}`,
        about: `slug of ${projectId}`,
        retry: () => turn.mutate(next),
      }),
    onSuccess: (stored) => {
      apply(stored);
      showDone(`The slug ${slug} is ${stored.isSlugPublic ? 'public' : 'no longer public'}.`);
    },
  });
  return (
    <Stack gap="xs">
      <GuardedSwitch
        size="md"
        aria-label="Public slug"
        label={isSlugPublic ? 'Public slug: on' : 'Public slug: off'}
        busy={turn.isPending ? 'Saving …' : null}
        checked={isSlugPublic}
        disabled={!canAdminister}
        onChoose={turn.mutate}
        question={(answer) => (
          <ConfirmDialog title={`Make the slug ${slug} private?`} confirm="Stop" isDangerous {...answer}>
            <Text size="sm">
              Programs and pages without a token that use the slug get 404 at once. Those that use the id keep
              working, and anyone who has used the slug may know the id, because answers contain it.
            </Text>
          </ConfirmDialog>
        )}
      />
      <Text size="sm" c="dimmed">
        With a token the slug always works. The Evaluation API and OFREP ask for none: there only the random
        project id keeps the flags from people who were not given it, and a slug can be guessed. While the
        slug is public, anyone who guesses it can read the names and answers of all flags.
      </Text>
    </Stack>
  );
}

/** The protection of a single-environment project. To stop it is confirmed first. */
function ProtectionSwitch({ project }: { readonly project: ProjectView }) {
  const canAdminister = useCanAdminister();
  const apply = useProjectChange();
  const { id: projectId, name, isProtected } = project;
  const protect = useMutation({
    mutationFn: (next: boolean) =>
      call('edit-project', { projectId }, { revision: project.revision, isProtected: next }),
    onError: (error, next) =>
      showFailure(error, {
        what: `${next ? 'Protecting' : 'Stopping the protection of'} ${visibleName(name)}`,
        about: `protection of ${projectId}`,
        retry: () => protect.mutate(next),
      }),
    onSuccess: (stored) => {
      apply(stored);
      showDone(`${visibleName(name)} is ${stored.isProtected ? 'protected' : 'no longer protected'}.`);
    },
  });
  return (
    <Stack gap="xs">
      <GuardedSwitch
        size="md"
        aria-label="Protect the flags of this project"
        label={isProtected ? 'Yes' : 'No'}
        busy={protect.isPending ? 'Saving …' : null}
        checked={isProtected}
        disabled={!canAdminister}
        onChoose={protect.mutate}
        question={(answer) => <Unprotect name={visibleName(name)} {...answer} />}
      />
      <Text size="sm" c="dimmed">
        While protected, changes of its flags ask for confirmation.
      </Text>
    </Stack>
  );
}

function storedOf({ name, slugs, revision }: ProjectView) {
  return { fields: { name, slug: slugs[0] ?? '' }, revision };
}

function useSave({ id: projectId }: ProjectView, handle: DraftHandle) {
  const apply = useProjectChange();
  return async () => {
    const { name, slugs } = await saveDraft(handle, storedOf, async ({ revision, edits }) => {
      const stored = await call('edit-project', { projectId }, { revision, ...edits });
      apply(stored);
      return stored;
    });
    const slug = slugs.length === 0 ? '' : `, with the slug ${slugs[0]}`;
    showDone(`Saved: the project is called ${visibleName(name)}${slug}.`);
  };
}

export function ProjectSettingsScreen() {
  const project = useProject();
  const canAdminister = useCanAdminister();
  const { fields, revision } = storedOf(project);
  const handle = useDraft(fields, revision);
  const name = handle.value('name') as string;
  const slug = handle.value('slug') as string;
  const [present, ...former] = project.slugs;
  const others = (useQuery(projectsQuery).data?.projects ?? []).filter(({ id }) => id !== project.id);
  const neighbours = others
    .filter((other) => other.isPersonal === project.isPersonal)
    .map((other) => other.name);
  const where = project.isPersonal ? 'among your personal projects' : 'in this organisation';
  const rule = renamingRule(uniqueNameRule(nameRule, neighbours, where), project.name);
  const slugRule = slugField(
    others.flatMap((other) => other.slugs),
    present === undefined ? null : 'A slug can be changed but not removed.',
  );
  const isReplaced = present !== undefined && slug !== present;
  return (
    <>
      <PageHead title="Project settings" />
      <Stack gap="md">
        <Panel title="Name">
          <TextField
            aria-label="Name of the project"
            description={canAdminister ? undefined : 'Read-only: ask an Admin for changes.'}
            rule={canAdminister ? rule : undefined}
            maw={420}
            disabled={!canAdminister}
            value={name}
            onText={(next) => handle.edit({ name: next })}
          />
        </Panel>
        <Panel title="Slug" aside={present && <CopyButton value={present} what="slug" />}>
          <Stack gap="md">
            <TextField
              aria-label="Slug of the project"
              description="Names the project in addresses, as its id does. No other project can ever have it."
              rule={canAdminister ? slugRule : undefined}
              maw={420}
              disabled={!canAdminister}
              value={slug}
              note={former.length > 0 && `Former slugs, which still work: ${former.join(', ')}`}
              onText={(next) => handle.edit({ slug: next })}
            />
            {present !== undefined && <PublicSlugSwitch project={project} slug={present} />}
          </Stack>
        </Panel>
        <Panel title="Evaluation API">
          <AccessSwitch project={project} />
        </Panel>
        {!project.isMultiEnvironment && (
          <Panel title="Protected">
            <ProtectionSwitch project={project} />
          </Panel>
        )}
        <Panel title="Project id" aside={<CopyButton value={project.id} what="project id" />}>
          <code>{project.id}</code>
        </Panel>
      </Stack>
      <ReviewBar
        handle={handle}
        problem={rule.problemOf(name, true) ?? slugRule.problemOf(slug, true)}
        effect={
          isReplaced && (
            <Text size="sm">
              Addresses with {present} go on working, and no other project can get it. A project has at most{' '}
              {slugsMax} slugs, former ones included.
            </Text>
          )
        }
        onSave={useSave(project, handle)}
      />
    </>
  );
}
