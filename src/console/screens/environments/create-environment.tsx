import { Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { showNotice } from '../../parts/notices.ts';
import { useProject } from '../../shell/project-context.ts';
import { environmentNameHint } from './environment-name-hint.ts';
import { TokenImpact, useImpact } from './token-impact.tsx';
import { useProjectChange } from './use-project-change.ts';

export function CreateEnvironment({ onClose }: { readonly onClose: () => void }) {
  const { id: projectId } = useProject();
  const apply = useProjectChange();
  const [name, setName] = useState('');
  const [isProtected, setProtected] = useState(false);
  const { impact, isKnown, error } = useImpact('new', name);
  const create = useMutation({
    mutationFn: () => call('create-environment', { projectId }, { name, isProtected }),
    onSuccess: ({ project }) => {
      apply(project);
      showNotice({ tone: 'done', message: `Created ${name}. Every flag is off there.` });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Create environment"
      submit="Create environment"
      isDirty={name !== ''}
      isBusy={create.isPending}
      isReady={name === '' || isKnown}
      error={create.error ?? (name === '' ? null : error)}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description={environmentNameHint}
        required
        data-autofocus
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox
        label="Protected"
        description="Switching or saving a flag here asks for confirmation."
        checked={isProtected}
        onChange={(event) => setProtected(event.currentTarget.checked)}
      />
      {name !== '' && <TokenImpact impact={impact} />}
    </FormDialog>
  );
}
