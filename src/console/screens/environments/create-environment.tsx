import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../client/call.ts';
import { Failure } from '../../parts/failure.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { TokenImpact, useImpact } from './token-impact.tsx';
import { useProjectChange } from './use-project-change.ts';

export function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const { id: projectId } = useProject();
  const apply = useProjectChange();
  const [name, setName] = useState('');
  const [isProtected, setProtected] = useState(false);
  const impact = useImpact('new', name);
  const create = useMutation({
    mutationFn: () => call('create-environment', { projectId }, { name, isProtected }),
    onSuccess: ({ project }) => {
      apply(project);
      showNotice({ tone: 'done', message: `Created ${name}. Every flag is off there.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Create environment">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="1 to 64 characters of a-z 0-9 - _ ."
            required
            data-autofocus
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Checkbox
            label="Protected"
            description="Changes of flags here ask for a confirmation."
            checked={isProtected}
            onChange={(event) => setProtected(event.currentTarget.checked)}
          />
          {name !== '' && <TokenImpact impact={impact.data} />}
          <Failure error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create environment
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
