import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { projectsQuery } from '../../client/queries.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { roleWord } from '../../parts/role-word.ts';
import { useSession } from '../../shell/use-session.ts';
import { CreateProject } from './create-project.tsx';

const columnsOf = (organisationName: string): readonly Column<ProjectView>[] => [
  {
    header: 'Project',
    cell: ({ id, name }) => (
      <Link to="/projects/$projectId/flags" params={{ projectId: id }}>
        {name}
      </Link>
    ),
  },
  { header: 'Belongs to', cell: ({ isPersonal }) => (isPersonal ? 'you alone' : organisationName) },
  {
    header: 'Environments',
    cell: ({ isMultiEnvironment, environments }) =>
      isMultiEnvironment ? environments.map(({ name }) => name).join(', ') || 'none yet' : 'just one',
  },
  {
    header: 'Evaluation API',
    cell: ({ evaluationAccess }) =>
      evaluationAccess ? <Mark tone="on">On</Mark> : <Mark tone="removed">Off</Mark>,
  },
  { header: 'Your role', cell: ({ role }) => roleWord(role) },
];

export function ProjectsScreen() {
  const [isCreating, create] = useDisclosure(false);
  const { organisation } = useSession();
  const projects = useQuery(projectsQuery);
  const button = <Button onClick={create.open}>Create project</Button>;
  return (
    <>
      <PageHeader title="Projects" actions={projects.data?.projects.length ? button : null} />
      {projects.isPending && <PageLoading what="projects" />}
      {isUnreadable(projects) && <PageError error={projects.error} onRetry={() => void projects.refetch()} />}
      {projects.data?.projects.length === 0 && (
        <PageEmpty title="No project yet" action={button}>
          A project holds the flags of one application, and says which environments it runs in.
        </PageEmpty>
      )}
      {projects.data !== undefined && projects.data.projects.length > 0 && (
        <DataList
          label="Projects"
          rows={projects.data.projects}
          rowKey={({ id }) => id}
          columns={columnsOf(organisation?.name ?? '')}
        />
      )}
      {isCreating && <CreateProject onClose={create.close} />}
    </>
  );
}
