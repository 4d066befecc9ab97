import { Button, Group, Modal, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.ts';
import { flagsQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/failure.tsx';
import { useProject } from '../../shell/project-context.ts';

function useCreateFlag() {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: { name: string; description: string; tags: string[] }) =>
      call('create-console-flag', { projectId }, body),
    onSuccess: async (flag) => {
      void client.invalidateQueries({ queryKey: flagsQuery(projectId).queryKey });
      await navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId: flag.id } });
    },
  });
}

export function CreateFlag({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [tags, setTags] = useState<string[]>([]);
  const create = useCreateFlag();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ name, description, tags });
  };
  return (
    <Modal opened onClose={onClose} title="Create flag" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={8}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <TagsInput label="Tags" description="Enter after each" value={tags} onChange={setTags} />
          <Text size="sm" c="dimmed">
            It begins switched off in every environment.
          </Text>
          <Failure error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create flag
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
