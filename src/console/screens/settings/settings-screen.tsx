import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHead } from '../../parts/page-head.tsx';
import { useSession } from '../../shell/use-session.ts';
import { OrganisationSettings } from './organisation-settings.tsx';
import { OwnSettings } from './own-settings.tsx';

const route = getRouteApi('/shell/settings');

/** What belongs to no project: the organisation, and one's own sessions and password. */
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
