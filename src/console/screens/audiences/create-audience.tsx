import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
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
  const hasRules = rules.some(({ attribute, values }) => attribute !== '' || values.length > 0);
  return (
    <FormDialog
      title="Create audience"
      size="lg"
      submit="Create audience"
      isDirty={name !== '' || hasRules}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RulesEditor rules={rules} onChange={setRules} />
    </FormDialog>
  );
}
