import { Checkbox, Radio, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hasRole } from '../../../domain/console/console-principal.ts';
import type { CreateProjectBody } from '../../../operations/projects/create-project.ts';
import { call } from '../../client/call.ts';
import { projectsQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { useSession } from '../../shell/use-session.ts';
import { environmentNameHint } from '../environments/environment-name-hint.ts';

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

export function CreateProject({ onClose }: { readonly onClose: () => void }) {
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
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Radio.Group label="Environments" value={kind} onChange={setKind}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="multi"
            label="Several"
            description="Each flag has a state of its own in each of them."
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
          description={`${environmentNameHint} – Enter after each; more can follow later.`}
          value={environments}
          onChange={setEnvironments}
        />
      )}
      {organisation !== null && (
        <Checkbox
          label="Personal project"
          description={
            mayShare
              ? `Yours alone, outside ${organisation.name}, and without API tokens.`
              : `Yours alone. A project of ${organisation.name} is created by an Admin.`
          }
          checked={isPersonal}
          disabled={!mayShare}
          onChange={(event) => setPersonal(event.currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}
