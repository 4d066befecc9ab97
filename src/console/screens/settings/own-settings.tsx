import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionRow } from '../../../contracts/console/session-views.ts';
import { call } from '../../client/call.ts';
import { membersQuery, sessionQuery, sessionsQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/callout.tsx';
import { CheckedForm } from '../../parts/checked-form.tsx';
import { DataList } from '../../parts/data-list.tsx';
import { nameRule, renamingRule } from '../../parts/field-rules.ts';
import { Mark } from '../../parts/mark.tsx';
import { showDone, showFailure } from '../../parts/notices.tsx';
import { PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { SmallButton } from '../../parts/small-button.tsx';
import { NewPasswordField, PasswordField, TextField } from '../../parts/text-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { roleWord } from '../../parts/words.ts';
import { SingleKeysSwitch } from '../../shell/single-keys-switch.tsx';
import { useSession } from '../../shell/use-session.ts';

function ChangeName({ present }: { readonly present: string }) {
  const client = useQueryClient();
  const [name, setName] = useState(present);
  const change = useMutation({
    mutationFn: () => call('edit-own-name', {}, { name }),
    onSuccess: (member) => {
      setName(member.name);
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      showDone('Name saved.');
    },
  });
  return (
    <CheckedForm onSubmit={change.mutate}>
      <Stack gap="md" maw={420}>
        <TextField
          label="Your name"
          required
          rule={renamingRule(nameRule, present)}
          value={name}
          onText={setName}
        />
        <Failure error={change.error} />
        <Group>
          <Button type="submit" variant="default" loading={change.isPending} disabled={name === present}>
            Save name
          </Button>
        </Group>
      </Stack>
    </CheckedForm>
  );
}

function ChangePassword({ hasPassword }: { readonly hasPassword: boolean }) {
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => call('change-password', {}, { password, ...(hasPassword ? { current } : {}) }),
    onSuccess: () => {
      setCurrent('');
      setPassword('');
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      showDone('Password saved. Your other sessions have ended.');
    },
  });
  return (
    <CheckedForm onSubmit={change.mutate}>
      <Stack gap="md" maw={420}>
        {hasPassword && (
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            value={current}
            onText={setCurrent}
          />
        )}
        <NewPasswordField value={password} onText={setPassword} />
        <Failure error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
        </Group>
      </Stack>
    </CheckedForm>
  );
}

const browsers = [
  ['Edg/', 'Edge'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** `Firefox on Linux`, as far as the user agent shows it; the order matters, because browsers name one another. */
function deviceWords(userAgent: string): string {
  const browser = browsers.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = systems.find(([mark]) => userAgent.includes(mark))?.[1];
  if (browser === undefined) return userAgent === '' ? 'unknown' : userAgent.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}

function EndSession({ session }: { readonly session: SessionRow }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => call('end-session', { sessionId: session.id }, null),
    onError: (error) =>
      showFailure(error, { what: `Ending the session from ${session.address}`, retry: () => end.mutate() }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  if (session.isCurrent) return <Mark tone="info">this session</Mark>;
  return (
    <SmallButton
      variant="danger"
      aria-label={`End the session from ${session.address}`}
      loading={end.isPending}
      onClick={() => end.mutate()}
    >
      End
    </SmallButton>
  );
}

function OwnSessions() {
  const sessions = useQuery(sessionsQuery);
  return (
    <Panel title="Sessions" isFlush={sessions.data !== undefined}>
      <PageUnread of={sessions} what="sessions" />
      {sessions.data !== undefined && (
        <DataList
          isFlush
          label="Sessions"
          rows={sessions.data.sessions}
          rowKey={({ id }) => id}
          columns={[
            {
              header: 'Where',
              cell: ({ userAgent }) => <span title={userAgent}>{deviceWords(userAgent)}</span>,
            },
            { header: 'Address', cell: ({ address }) => address },
            { header: 'Signed in', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
            { header: 'Last seen', cell: ({ lastSeenAt }) => <TimeAgo at={lastSeenAt} /> },
            { header: 'Ends', cell: ({ endsAt }) => <TimeAgo at={endsAt} /> },
            { header: 'Actions', isActions: true, cell: (session) => <EndSession session={session} /> },
          ]}
        />
      )}
    </Panel>
  );
}

/** The member's own account: ways to sign in, and open sessions. */
export function OwnSettings() {
  const { member } = useSession();
  return (
    <Stack gap="md">
      <Panel title="Account">
        <Stack gap="md">
          <span>
            <SafeName name={member.email} />, {roleWord(member.role)}
          </span>
          <ChangeName present={member.name} />
        </Stack>
      </Panel>
      <Panel title={member.hasPassword ? 'Change password' : 'Set a password'}>
        <ChangePassword hasPassword={member.hasPassword} />
      </Panel>
      <Panel title="Keyboard">
        <SingleKeysSwitch />
      </Panel>
      <OwnSessions />
    </Stack>
  );
}
