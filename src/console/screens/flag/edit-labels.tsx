import { Text } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../draft/form-dialog.tsx';
import type { DraftHandle } from '../../draft/use-draft.ts';
import { areSameLabels, editedLabels, type FlagLabels, LabelFields } from '../../parts/label-fields.tsx';

interface EditLabelsProps {
  readonly handle: DraftHandle;
  readonly onClose: () => void;
}

/** Puts the flag's labels into the draft. */
export function EditLabels({ handle, onClose }: EditLabelsProps) {
  const [begun] = useState<FlagLabels>({
    name: handle.value('name') as string,
    description: handle.value('description') as string,
    tags: handle.value('tags') as string[],
  });
  const [labels, setLabels] = useState(begun);
  const edit = (change: Partial<FlagLabels>) => setLabels((now) => ({ ...now, ...change }));
  const submit = () => {
    handle.edit(editedLabels({ ...labels, name: labels.name.trim() }, begun));
    onClose();
  };
  return (
    <FormDialog
      title="Name, description, tags"
      size="lg"
      submit="Apply to the draft"
      isDirty={!areSameLabels(labels, begun)}
      onSubmit={submit}
      onClose={onClose}
    >
      <LabelFields labels={labels} descriptionRowsMax={12} onChange={edit} />
      <Text size="sm" c="dimmed">
        Applications ask by the flag’s id, which stays.
      </Text>
    </FormDialog>
  );
}
