import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { EnvironmentView } from '../../../contracts/console/console-views.ts';
import { call } from '../../client/call.ts';
import { Callout } from '../../parts/callout.tsx';
import { Failure } from '../../parts/failure.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { TokenImpact, useImpact } from './token-impact.tsx';
import { useProjectChange } from './use-project-change.ts';

interface RenameEnvironmentProps {
  readonly environment: EnvironmentView;
  readonly onClose: () => void;
}

/** Flags follow a rename; tokens limited to the old name and applications that ask for it do not. */
export function RenameEnvironment({ environment, onClose }: RenameEnvironmentProps) {
  const { id: projectId, environmentsRevision: revision } = useProject();
  const { number } = environment;
  const apply = useProjectChange();
  const [name, setName] = useState(environment.name);
  const isNew = name !== '' && name !== environment.name;
  const impact = useImpact(number, name);
  const rename = useMutation({
    mutationFn: () => call('edit-environment', { projectId, number }, { revision, name }),
    onSuccess: ({ project }) => {
      apply(project);
      showNotice({ tone: 'done', message: `${environment.name} is now ${name}.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={`Rename ${environment.name}`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="New name"
            description="1 to 64 characters of a-z 0-9 - _ ."
            required
            data-autofocus
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Callout tone="plain">
            Flags keep their state. Applications that ask for <strong>{environment.name}</strong> get 404
            until they ask for the new name.
          </Callout>
          {isNew && <TokenImpact impact={impact.data} />}
          <Failure error={rename.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending} disabled={!isNew}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
