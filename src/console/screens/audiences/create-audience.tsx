import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/failure.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { type EditedRule, RulesEditor } from './rules-editor.tsx';

export function CreateAudience({ onClose }: { readonly onClose: () => void }) {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [rules, setRules] = useState<EditedRule[]>([{ attribute: '', values: [] }]);
  const create = useMutation({
    mutationFn: () => call('create-audience', { projectId }, { name, rules }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: audiencesQuery(projectId).queryKey });
      showNotice({ tone: 'done', message: `Created ${name}.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Create audience" size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <RulesEditor rules={rules} onChange={setRules} />
          <Failure error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create audience
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
