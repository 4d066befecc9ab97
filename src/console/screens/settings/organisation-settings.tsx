import { Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { OrganisationView } from '../../../contracts/console/organisation-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { call } from '../../client/call.ts';
import { conflictOf, isUnreadable } from '../../client/console-error.ts';
import { organisationQuery, sessionQuery } from '../../client/queries.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, useDraft } from '../../draft/use-draft.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { showNotice } from '../../parts/notices.ts';
import { PageError, PageLoading } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useSession } from '../../shell/use-session.ts';
import { MailState } from './mail-state.tsx';

/** @param endsAt the trial has ended when that moment has come (decisions, tokens) */
function trialWords(endsAt: number, now: number): string {
  return `Teams trial ${now < endsAt ? 'until' : 'ended'} ${formatMoment(endsAt)}`;
}

function planWords({ plan, trialEndsAt, subscription, isEligible }: OrganisationView): string {
  const name = { free: 'Free', teams: 'Teams', enterprise: 'Enterprise' }[plan];
  const trial = trialEndsAt === null ? '' : `, ${trialWords(trialEndsAt, Date.now())}`;
  const lapsed = subscription === 'lapsed' ? ', subscription lapsed' : '';
  const api = isEligible ? 'The Management API is available.' : 'The Management API is not available.';
  return `${name}${trial}${lapsed}. ${api}`;
}

function useSave({ draft, settle, meet }: DraftHandle) {
  const client = useQueryClient();
  return async () => {
    const name = (draft.edits['name'] ?? draft.base['name']) as string;
    try {
      const stored = await call('edit-organisation', {}, { revision: draft.revision, name });
      client.setQueryData(organisationQuery.queryKey, stored);
      settle({ fields: { name: stored.name }, revision: stored.revision }, 'all');
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      showNotice({ tone: 'done', message: `The organisation is called ${stored.name} now.` });
    } catch (error) {
      const current = conflictOf<OrganisationView>(error);
      if (current !== null) meet({ fields: { name: current.name }, revision: current.revision });
      throw error;
    }
  };
}

function Loaded({ organisation }: { readonly organisation: OrganisationView }) {
  const { role } = useSession().member;
  const isOwner = hasRole(role, 'owner');
  const handle = useDraft({ name: organisation.name }, organisation.revision);
  return (
    <>
      <Stack gap="md">
        <Panel title="Name">
          <TextInput
            aria-label="Name of the organisation"
            description={isOwner ? undefined : 'Only an Owner changes it.'}
            maw={420}
            disabled={!isOwner}
            value={handle.value('name') as string}
            onChange={(event) => handle.edit({ name: event.currentTarget.value })}
          />
        </Panel>
        <Panel title="Plan">
          {planWords(organisation)} The plan is changed by the operator of this service.
        </Panel>
        {hasRole(role, 'admin') && <MailState />}
      </Stack>
      <ReviewBar
        handle={handle}
        show={({ key, before, after }) => ({ environment: null, field: key, before, after })}
        onSave={useSave(handle)}
      />
    </>
  );
}

export function OrganisationSettings() {
  const organisation = useQuery(organisationQuery);
  if (organisation.isPending) return <PageLoading what="the organisation" />;
  if (isUnreadable(organisation)) {
    return <PageError error={organisation.error} onRetry={() => void organisation.refetch()} />;
  }
  return <Loaded organisation={organisation.data} />;
}
