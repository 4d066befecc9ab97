import { Stack, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { MailState, OrganisationView } from '../../../contracts/console/organisation-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import { call } from '../../client/call.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { mailStateQuery, organisationQuery, sessionQuery } from '../../client/queries.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { type DraftHandle, saveDraft, useDraft } from '../../draft/use-draft.ts';
import { Failure } from '../../parts/callout.tsx';
import { nameRule, renamingRule } from '../../parts/field-rules.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { showDone } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf } from '../../parts/words.ts';
import { useSession } from '../../shell/use-session.ts';
import { OwnSettings } from './own-settings.tsx';

function waitingWords({ waiting, waitingFault }: MailState, isMailConfigured: boolean): string {
  if (waiting === 0) return isMailConfigured ? 'No emails waiting.' : 'Mail is not configured.';
  const wait = waiting === 1 ? 'waits' : 'wait';
  const emails = `${countOf(waiting, 'email')} ${wait}`;
  if (!isMailConfigured) return `Mail is not configured: ${emails} until SMTP is set up.`;
  if (waitingFault === null) return `${emails} to be sent.`;
  return `${emails} for another try. Last fault: ${waitingFault}`;
}

function failedWords({ failed, lastFailure }: MailState): string | null {
  if (lastFailure === null) return null;
  const emails = countOf(failed, 'email');
  const last = `${formatMoment(lastFailure.at)}: ${lastFailure.fault}`;
  return `${emails} could not be sent. Burgee tries once more when it starts. Last failure: ${last}`;
}

/** The state of the emails about refused tokens. */
function DenialMails() {
  const { isMailConfigured } = useSession();
  const { data, error } = useQuery(mailStateQuery);
  const failed = data === undefined ? null : failedWords(data);
  return (
    <Panel title="Emails about refused tokens">
      {data !== undefined && waitingWords(data, isMailConfigured)}
      {failed !== null && <p role="status">{failed}</p>}
      <Failure error={error} />
    </Panel>
  );
}

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

function storedOf({ name, revision }: OrganisationView) {
  return { fields: { name }, revision };
}

function useSave(handle: DraftHandle) {
  const client = useQueryClient();
  return async () => {
    const { name } = await saveDraft(handle, storedOf, async ({ revision }) => {
      const stored = await call('edit-organisation', {}, { revision, name: handle.value('name') as string });
      client.setQueryData(organisationQuery.queryKey, stored);
      return stored;
    });
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    showDone(`Renamed the organisation to ${visibleName(name)}.`);
  };
}

function Loaded({ organisation }: { readonly organisation: OrganisationView }) {
  const { role } = useSession().member;
  const isOwner = hasRole(role, 'owner');
  const handle = useDraft({ name: organisation.name }, organisation.revision);
  const name = handle.value('name') as string;
  const rule = renamingRule(nameRule, organisation.name);
  return (
    <>
      <Stack gap="md">
        <Panel title="Name">
          <TextField
            aria-label="Name of the organisation"
            description={isOwner ? undefined : 'Read-only: ask an Owner for changes.'}
            rule={isOwner ? rule : undefined}
            maw={420}
            disabled={!isOwner}
            value={name}
            onText={(next) => handle.edit({ name: next })}
          />
        </Panel>
        <Panel title="Plan">
          {planWords(organisation)} Only the operator of this service can change the plan.
        </Panel>
        {hasRole(role, 'admin') && <DenialMails />}
      </Stack>
      <ReviewBar handle={handle} problem={rule.problemOf(name, true)} onSave={useSave(handle)} />
    </>
  );
}

function OrganisationSettings() {
  const organisation = useQuery(organisationQuery);
  if (organisation.isPending || isUnreadable(organisation)) {
    return <PageUnread of={organisation} what="the organisation" />;
  }
  return <Loaded organisation={organisation.data} />;
}

const route = getRouteApi('/shell/settings');

/** What belongs to no project: the organisation, and the member's own sessions and password. */
export function SettingsScreen() {
  const { organisation } = useSession();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const shown = tab ?? (organisation === null ? 'you' : 'organisation');
  const choose = (value: string | null) =>
    void navigate({ search: { tab: value === 'you' ? 'you' : 'organisation' }, replace: true });
  return (
    <>
      <PageHead title="Settings" />
      <Tabs value={shown} onChange={choose} keepMounted>
        <Tabs.List mb="md">
          {organisation !== null && <Tabs.Tab value="organisation">Organisation</Tabs.Tab>}
          <Tabs.Tab value="you">You</Tabs.Tab>
        </Tabs.List>
        {organisation !== null && (
          <Tabs.Panel value="organisation">
            <OrganisationSettings />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="you">
          <OwnSettings />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
