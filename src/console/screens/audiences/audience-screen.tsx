import { Button, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import { call } from '../../client/call.ts';
import { conflictOf, isUnreadable } from '../../client/console-error.ts';
import { audienceQuery } from '../../client/queries.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, useDraft } from '../../draft/use-draft.ts';
import { Callout } from '../../parts/callout.tsx';
import { showNotice } from '../../parts/notices.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import { AudienceUses } from './audience-uses.tsx';
import { DeleteAudience } from './delete-audience.tsx';
import { protectedUsesWarning } from './protected-uses.tsx';
import { type EditedRule, editedRules, RulesEditor } from './rules-editor.tsx';
import { useAudiencesAvailable } from './use-audiences-available.ts';

const route = getRouteApi('/shell/projects/$projectId/audiences/$audienceId');

const roleReason = 'You are a Viewer here: only an Editor changes audiences.';
const planReason =
  'Changing an audience needs the Teams plan of an organisation. Where it is attached, it still decides.';

function storedOf({ name, rules, revision }: AudienceView) {
  return { fields: { name, rules: editedRules(rules) }, revision };
}

function useSave(audience: AudienceView, { draft, settle, meet }: DraftHandle) {
  const client = useQueryClient();
  const { id: audienceId, projectId } = audience;
  return async () => {
    try {
      const stored = await call(
        'edit-audience',
        { projectId, audienceId },
        { revision: draft.revision, ...draft.edits },
      );
      client.setQueryData(audienceQuery(projectId, audienceId).queryKey, stored);
      settle(storedOf(stored), 'all');
      void client.invalidateQueries({ queryKey: [projectId] });
      showNotice({ tone: 'done', message: `Saved ${stored.name}. Flags that use it follow at once.` });
    } catch (error) {
      const current = conflictOf<AudienceView>(error);
      if (current !== null) meet(storedOf(current));
      throw error;
    }
  };
}

function Loaded({ audience }: { readonly audience: AudienceView }) {
  const { id: projectId, environments } = useProject();
  const canEdit = useCanEdit();
  const isEditable = useAudiencesAvailable() && canEdit;
  const stored = storedOf(audience);
  const handle = useDraft(stored.fields, stored.revision);
  const [isDeleting, deletion] = useDisclosure(false);
  const rules = handle.value('rules') as EditedRule[];
  const changesRules = handle.changes.some(({ key }) => key === 'rules');
  const isIncomplete = rules.some(({ attribute, values }) => attribute === '' || values.length === 0);
  return (
    <>
      <PageHeader
        title={handle.value('name') as string}
        above={
          <Link to="/projects/$projectId/audiences" params={{ projectId }}>
            Audiences
          </Link>
        }
        actions={
          canEdit && (
            <Button variant="default" onClick={deletion.open}>
              Delete audience …
            </Button>
          )
        }
      />
      <Stack gap="md">
        {!isEditable && <Callout tone="plain">{canEdit ? planReason : roleReason}</Callout>}
        <Panel title="Name and rules">
          <Stack gap="md">
            <TextInput
              label="Name"
              maw={420}
              disabled={!isEditable}
              value={handle.value('name') as string}
              onChange={(event) => handle.edit({ name: event.currentTarget.value })}
            />
            <RulesEditor
              rules={rules}
              isReadOnly={!isEditable}
              onChange={(next) => handle.edit({ rules: next })}
            />
          </Stack>
        </Panel>
        <Panel title="Where it is used">
          <AudienceUses uses={audience.uses} useCount={audience.useCount} />
        </Panel>
      </Stack>
      <ReviewBar
        handle={handle}
        show={({ key, before, after }) => ({ environment: null, field: key, before, after })}
        problem={isIncomplete ? 'Each rule needs an attribute and at least one value.' : null}
        warning={changesRules && protectedUsesWarning({ audience, environments })}
        onSave={useSave(audience, handle)}
      />
      {isDeleting && <DeleteAudience audience={audience} onClose={deletion.close} />}
    </>
  );
}

export function AudienceScreen() {
  const { id: projectId } = useProject();
  const { audienceId } = route.useParams();
  const audience = useQuery(audienceQuery(projectId, audienceId));
  if (audience.isPending) return <PageLoading what="the audience" />;
  if (isUnreadable(audience)) {
    const all = (
      <Link to="/projects/$projectId/audiences" params={{ projectId }}>
        All audiences
      </Link>
    );
    return <PageError isPage error={audience.error} onRetry={() => void audience.refetch()} action={all} />;
  }
  return <Loaded key={audienceId} audience={audience.data} />;
}
