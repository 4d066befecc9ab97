import { Kbd, Menu, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { projectsQuery } from '../client/queries.ts';
import { Brand } from '../parts/brand.tsx';
import { openOverlay } from './overlays.ts';
import { pagesOf } from './pages.tsx';
import { useCurrentProject } from './project-context.ts';
import { SchemeToggle } from './scheme-toggle.tsx';
import classes from './sidebar.module.css';
import { useSession, useSignOut } from './use-session.ts';

/** The menu lists this many; the page of projects has them all. */
const listedMax = 30;

function ProjectSwitcher({ current }: { readonly current: ProjectView | null }) {
  const { data, isPending } = useQuery(projectsQuery);
  const projects = data?.projects ?? [];
  const name = current?.name ?? (isPending ? 'Loading …' : 'No project yet');
  return (
    <Menu width="target" position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.project} aria-label={`Project: ${name}`}>
          <span className={classes.projectName}>{name}</span>
          <svg className={classes.projectMark} viewBox="0 0 12 12" aria-hidden="true">
            <path d="M3 4.5 6 1.5l3 3M3 7.5l3 3 3-3" fill="none" stroke="currentColor" strokeWidth="1.4" />
          </svg>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.projects}>
          {projects.slice(0, listedMax).map((project) => (
            <Menu.Item
              key={project.id}
              renderRoot={(props) => (
                <Link to="/projects/$projectId/flags" params={{ projectId: project.id }} {...props} />
              )}
            >
              {project.name}
              {project.isPersonal && <span className={classes.projectKind}> personal</span>}
            </Menu.Item>
          ))}
        </div>
        <Menu.Divider />
        <Menu.Item renderRoot={(props) => <Link to="/projects" {...props} />}>
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
            <span className={classes.accountName}>{member.name}</span>
            <span className={classes.accountRole}>{member.role}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item renderRoot={(props) => <Link to="/settings" search={{ tab: 'you' }} {...props} />}>
            Sessions and password
          </Menu.Item>
          <Menu.Item component="a" href={docsUrl} target="_blank" rel="noreferrer">
            Documentation
          </Menu.Item>
          <Menu.Item onClick={() => openOverlay('help')}>Keyboard</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={signOut}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SchemeToggle />
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={classes.group}>
      <h2 className={classes.groupTitle}>{title}</h2>
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
            {title}
          </Link>
        </li>
      ))}
    </Group>
  );
}

export function Sidebar() {
  const project = useCurrentProject();
  return (
    <div className={classes.sidebar}>
      <div className={classes.brand}>
        <Brand />
      </div>
      <ProjectSwitcher current={project} />
      <UnstyledButton className={classes.find} onClick={() => openOverlay('palette')}>
        <span>Go to …</span>
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
