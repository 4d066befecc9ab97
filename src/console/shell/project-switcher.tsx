import { Menu, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { projectsQuery } from '../client/queries.ts';
import classes from './project-switcher.module.css';

/** So many fit a menu; the page of projects has them all. */
const listedMax = 30;

export function ProjectSwitcher({ current }: { readonly current: ProjectView | null }) {
  const { data, isPending } = useQuery(projectsQuery);
  const projects = data?.projects ?? [];
  const name = current?.name ?? (isPending ? 'Loading …' : 'No project yet');
  return (
    <Menu width="target" position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`Project: ${name}`}>
          <span className={classes.name}>{name}</span>
          <svg className={classes.mark} viewBox="0 0 12 12" aria-hidden="true">
            <path d="M3 4.5 6 1.5l3 3M3 7.5l3 3 3-3" fill="none" stroke="currentColor" strokeWidth="1.4" />
          </svg>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.list}>
          {projects.slice(0, listedMax).map((project) => (
            <Menu.Item
              key={project.id}
              renderRoot={(props) => (
                <Link to="/projects/$projectId/flags" params={{ projectId: project.id }} {...props} />
              )}
            >
              {project.name}
              {project.isPersonal && <span className={classes.kind}> personal</span>}
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
