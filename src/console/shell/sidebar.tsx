import { Kbd, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { Brand } from '../parts/brand.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useCurrentProject } from './current-project.ts';
import { openOverlay } from './overlays.ts';
import { pagesOf } from './pages.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import classes from './sidebar.module.css';
import { useSession } from './use-session.ts';

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

function OrganisationLinks() {
  const { organisation } = useSession();
  return (
    <Group title={organisation?.name ?? 'Account'}>
      {organisation !== null && (
        <li>
          <Link className={classes.link} to="/members">
            Members
          </Link>
        </li>
      )}
      <li>
        <Link className={classes.link} to="/projects" activeOptions={{ exact: true }}>
          Projects
        </Link>
      </li>
      {organisation !== null && (
        <li>
          <Link className={classes.link} to="/audit">
            Organisation log
          </Link>
        </li>
      )}
      <li>
        <Link className={classes.link} to="/settings">
          Settings
        </Link>
      </li>
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
