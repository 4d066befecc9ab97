import { Button, Checkbox, Radio, Stack, TagsInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import { hasRole } from '../../../domain/console/console-principal.ts';
import type { CreateProjectBody } from '../../../operations/projects/create-project.ts';
import { call } from '../../client/call.ts';
import { projectsQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { environmentNameHint, roleWord } from '../../parts/words.ts';
import { useSession } from '../../shell/use-session.ts';

const offeredEnvironments = ['production', 'staging'] as const;

function useCreateProject(onClose: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: CreateProjectBody) => call('create-project', {}, body),
    onSuccess: async (project) => {
      await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      onClose();
      await navigate({ to: '/projects/$projectId/flags', params: { projectId: project.id } });
    },
  });
}

function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const { organisation, member } = useSession();
  const mayShare = organisation !== null && hasRole(member.role, 'admin');
  const [name, setName] = useState('');
  const [kind, setKind] = useState('multi');
  const [environments, setEnvironments] = useState<string[]>([...offeredEnvironments]);
  const [isPersonal, setPersonal] = useState(!mayShare);
  const create = useCreateProject(onClose);
  const submit = () => {
    const isMultiEnvironment = kind === 'multi';
    create.mutate({ name, isPersonal, isMultiEnvironment, ...(isMultiEnvironment ? { environments } : {}) });
  };
  return (
    <FormDialog
      title="Create project"
      size="lg"
      submit="Create project"
      isDirty={name !== '' || kind !== 'multi' || environments.join() !== offeredEnvironments.join()}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" required data-autofocus value={name} onText={setName} />
      <Radio.Group label="Environments" value={kind} onChange={setKind}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="multi"
            label="Several"
            description="Each flag has a state of its own in each environment."
          />
          <Radio
            value="single"
            label="One"
            description="Each flag has one state. This cannot be changed later."
          />
        </Stack>
      </Radio.Group>
      {kind === 'multi' && (
        <TagsInput
          label="Environment names"
          description={`${environmentNameHint} – Press Enter after each. You can add more later.`}
          value={environments}
          onChange={setEnvironments}
        />
      )}
      {organisation !== null && (
        <Checkbox
          label="Personal project"
          description={
            mayShare
              ? `Only for you, outside ${organisation.name}, and without API tokens.`
              : `Only for you. Only Admins can create projects of ${organisation.name}.`
          }
          checked={isPersonal}
          disabled={!mayShare}
          onChange={(event) => setPersonal(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}

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
      evaluationAccess ? <Mark tone="on">On</Mark> : <Mark tone="warn">Off</Mark>,
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
      <PageHead title="Projects" actions={projects.data?.projects.length ? button : null} />
      <PageUnread of={projects} what="projects" />
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
