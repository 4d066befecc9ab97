import { Button, Group, Modal, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { DraftHandle } from '../../draft/use-draft.ts';

interface EditLabelsProps {
  readonly handle: DraftHandle;
  readonly onClose: () => void;
}

/** Puts the flag's labels into the draft. */
export function EditLabels({ handle, onClose }: EditLabelsProps) {
  const [name, setName] = useState(handle.value('name') as string);
  const [description, setDescription] = useState(handle.value('description') as string);
  const [tags, setTags] = useState(handle.value('tags') as string[]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    handle.edit({ name: name.trim(), description, tags });
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Name, description, tags" size="lg">
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
            maxRows={12}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <TagsInput label="Tags" description="Enter after each" value={tags} onChange={setTags} />
          <Text size="sm" c="dimmed">
            Applications ask by the flag's id, which stays.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Add to the draft</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
