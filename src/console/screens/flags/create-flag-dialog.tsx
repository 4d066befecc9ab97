import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { showFlag } from '../../client/read-flag-list.ts';
import { FormDialog } from '../../draft/form-dialog.tsx';
import { areSameLabels, type EditedLabels, LabelFields } from '../../parts/label-fields.tsx';
import { useProject } from '../../shell/project-context.ts';
import { mayHaveName, NewName, useTakenName } from './taken-name.tsx';

function useCreateFlag() {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: EditedLabels & { takesName: boolean }) =>
      call('create-console-flag', { projectId }, body),
    onSuccess: async (flag) => {
      showFlag(client, flag);
      await navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId: flag.id } });
    },
  });
}

const noLabels: EditedLabels = { name: '', description: '', tags: [] };

/** Creates a flag, and goes to its page. */
export function CreateFlag({ onClose }: { readonly onClose: () => void }) {
  const { isMultiEnvironment } = useProject();
  const [labels, setLabels] = useState(noLabels);
  const [takesName, setTakesName] = useState(false);
  const taken = useTakenName(labels.name, null);
  const create = useCreateFlag();
  const edit = (change: Partial<EditedLabels>) => {
    if (change.name !== undefined) setTakesName(false);
    setLabels((now) => ({ ...now, ...change }));
  };
  return (
    <FormDialog
      title="Create flag"
      size="lg"
      submit="Create flag"
      isDirty={!areSameLabels(labels, noLabels)}
      isBusy={create.isPending}
      isReady={create.isPending || mayHaveName(labels.name, taken, takesName)}
      error={create.error}
      onSubmit={() => create.mutate({ ...labels, takesName })}
      onClose={onClose}
    >
      <LabelFields
        labels={labels}
        descriptionRowsMax={8}
        nameNote={
          create.isPending ? null : (
            <NewName name={labels.name} taken={taken} takesName={takesName} onTake={setTakesName} />
          )
        }
        onChange={edit}
      />
      <Text size="sm" c="dimmed">
        {isMultiEnvironment ? 'New flags are off in every environment.' : 'New flags are off.'}
      </Text>
    </FormDialog>
  );
}
