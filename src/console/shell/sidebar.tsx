import { Box, Kbd, Menu, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import BookOpen from 'lucide-react/icons/book-open';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import Folders from 'lucide-react/icons/folders';
import Keyboard from 'lucide-react/icons/keyboard';
import LogOut from 'lucide-react/icons/log-out';
import Search from 'lucide-react/icons/search';
import UserRoundCog from 'lucide-react/icons/user-round-cog';
import type { ReactNode } from 'react';
import { version } from '../../../package.json';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { projectsQuery } from '../client/queries.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Brand } from '../parts/brand.tsx';
import { DensityItem, useDensity } from '../parts/density-item.tsx';
import { SafeName } from '../parts/safe-name.tsx';
import { visibleName } from '../parts/visible-name.ts';
import { roleWord } from '../parts/words.ts';
import { openOverlay } from './overlays.ts';
import { PageIcon } from './page-icon.tsx';
import { pagesOf } from './pages.tsx';
import { useCurrentProject } from './project-context.ts';
import { SchemeToggle } from './scheme-toggle.tsx';
import classes from './sidebar.module.css';
import { useSession, useSignOut } from './use-session.ts';

/** The menu lists this many; the page of projects has them all. */
const listedMax = 30;

export function ProjectSwitcher({ current }: { readonly current: ProjectView | null }) {
  const { data, isPending } = useQuery(projectsQuery);
  const projects = data?.projects ?? [];
  const name = current?.name ?? (isPending ? 'Loading …' : 'No project yet');
  return (
    <Menu width={264} position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.project} aria-label={`Project: ${visibleName(name)}`}>
          {current !== null && <Avatar name={current.name} of={current.id} />}
          <span className={classes.projectName}>
            <SafeName name={name} />
          </span>
          <ChevronsUpDown className={classes.projectMark} aria-hidden="true" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.projects}>
          {projects.slice(0, listedMax).map((project) => (
            <Menu.Item
              key={project.id}
              leftSection={<Avatar name={project.name} of={project.id} />}
              data-current={project.id === current?.id || undefined}
              renderRoot={(props) => (
                <Link to="/projects/$projectId/flags" params={{ projectId: project.id }} {...props} />
              )}
            >
              <SafeName name={project.name} />
              {project.isPersonal && <span className={classes.projectKind}> personal</span>}
            </Menu.Item>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Folders aria-hidden="true" />}
          renderRoot={(props) => <Link to="/projects" {...props} />}
        >
          All projects and new ones
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu() {
  const { member, docsUrl } = useSession();
  const signOut = useSignOut();
  return (
    <div className={classes.account}>
      <Menu position="top-start" width={220} shadow="md">
        <Menu.Target>
          <UnstyledButton className={classes.accountButton}>
            <Avatar isRound name={member.name} of={member.id} />
            <span className={classes.accountWords}>
              <span className={classes.accountName}>
                <SafeName name={member.name} />
              </span>
              <span className={classes.accountRole}>{roleWord(member.role)}</span>
            </span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<UserRoundCog aria-hidden="true" />}
            renderRoot={(props) => <Link to="/settings" search={{ tab: 'you' }} {...props} />}
          >
            Sessions and password
          </Menu.Item>
          <DensityItem />
          <Menu.Item
            leftSection={<BookOpen aria-hidden="true" />}
            component="a"
            href={docsUrl}
            target="_blank"
            rel="noreferrer"
          >
            Documentation
          </Menu.Item>
          <Menu.Item leftSection={<Keyboard aria-hidden="true" />} onClick={() => openOverlay('help')}>
            Keyboard
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<LogOut aria-hidden="true" />} onClick={signOut}>
            Sign out
          </Menu.Item>
          <Menu.Label>Burgee {version}</Menu.Label>
        </Menu.Dropdown>
      </Menu>
      <SchemeToggle />
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={classes.group}>
      <h2 className={classes.groupTitle}>
        <SafeName name={title} />
      </h2>
      <ul className={classes.links}>{children}</ul>
    </div>
  );
}

function ProjectLinks({ project }: { readonly project: ProjectView }) {
  return (
    <Group title="Project">
      {pagesOf(project).map(({ title, to }) => (
        <li key={to}>
          <Link className={classes.link} to={to} params={{ projectId: project.id }}>
            <PageIcon title={title} />
            {title}
          </Link>
        </li>
      ))}
    </Group>
  );
}

const organisationPages = [
  { title: 'Members', to: '/members', isOfOrganisation: true },
  { title: 'Projects', to: '/projects', isOfOrganisation: false },
  { title: 'Organisation log', to: '/audit', isOfOrganisation: true },
  { title: 'Settings', to: '/settings', isOfOrganisation: false },
] as const;
const nodesPage = { title: 'Nodes', to: '/nodes' } as const;

function OrganisationLinks() {
  const { organisation, isCluster, member } = useSession();
  const own = organisationPages.filter((page) => organisation !== null || !page.isOfOrganisation);
  const shown = isCluster && hasRole(member.role, 'owner') ? [...own, nodesPage] : own;
  return (
    <Group title={organisation?.name ?? 'Account'}>
      {shown.map(({ title, to }) => (
        <li key={to}>
          <Link className={classes.link} to={to} activeOptions={{ exact: to === '/projects' }}>
            <PageIcon title={title} />
            {title}
          </Link>
        </li>
      ))}
    </Group>
  );
}

export function Sidebar() {
  const project = useCurrentProject();
  useDensity();
  return (
    <div className={classes.sidebar}>
      <div className={classes.brand}>
        <Brand />
      </div>
      {/* In a narrow window they are in the header. */}
      <Box visibleFrom="md">
        <ProjectSwitcher current={project} />
      </Box>
      <UnstyledButton visibleFrom="md" className={classes.find} onClick={() => openOverlay('palette')}>
        <Search aria-hidden="true" />
        <span className={classes.findWords}>Go to …</span>
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <div className={classes.scroll}>
        {project !== null && <ProjectLinks project={project} />}
        <OrganisationLinks />
      </div>
      <AccountMenu />
    </div>
  );
}
