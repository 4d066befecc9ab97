import { Stack } from '@mantine/core';
import { Panel } from '../../parts/panel.tsx';
import { roleWord } from '../../parts/role-word.ts';
import { useSession } from '../../shell/use-session.ts';
import { ChangePassword } from './change-password.tsx';
import { OwnSessions } from './own-sessions.tsx';

/** One's own account: how one signs in, and where one is signed in. */
export function OwnSettings() {
  const { member } = useSession();
  return (
    <Stack gap="md">
      <Panel title="Account">
        <strong>{member.name}</strong>, {roleWord(member.role)}
        <br />
        {member.email}
      </Panel>
      <Panel title={member.hasPassword ? 'Change password' : 'Set a password'}>
        <ChangePassword hasPassword={member.hasPassword} />
      </Panel>
      <OwnSessions />
    </Stack>
  );
}
