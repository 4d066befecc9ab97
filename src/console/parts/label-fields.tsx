import { TagsInput, Textarea, TextInput } from '@mantine/core';
import { isExactDuplicate } from './is-exact-duplicate.ts';

/** What a flag is called, and how it is found. */
export interface FlagLabels {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
}

/** What differs from what it began with. The rest may have been changed by others meanwhile, and stays as it is. */
export function editedLabels(labels: FlagLabels, begun: FlagLabels): Partial<FlagLabels> {
  return {
    ...(labels.name !== begun.name && { name: labels.name }),
    ...(labels.description !== begun.description && { description: labels.description }),
    ...(JSON.stringify(labels.tags) !== JSON.stringify(begun.tags) && { tags: labels.tags }),
  };
}

export function areSameLabels(left: FlagLabels, right: FlagLabels): boolean {
  return Object.keys(editedLabels(left, right)).length === 0;
}

interface LabelFieldsProps {
  readonly labels: FlagLabels;
  readonly descriptionRowsMax: number;
  readonly onChange: (change: Partial<FlagLabels>) => void;
}

export function LabelFields({ labels, descriptionRowsMax, onChange }: LabelFieldsProps) {
  const { name, description, tags } = labels;
  return (
    <>
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxRows={descriptionRowsMax}
        value={description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <TagsInput
        label="Tags"
        description="Enter after each"
        isDuplicate={isExactDuplicate}
        value={tags}
        onChange={(next) => onChange({ tags: next })}
      />
    </>
  );
}
