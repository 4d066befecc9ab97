import { TagsInput, Textarea, TextInput } from '@mantine/core';
import { isExactDuplicate } from './is-exact-duplicate.ts';

/** What a flag is called, and how it is found. */
export interface FlagLabels {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
}

export function areSameLabels(left: FlagLabels, right: FlagLabels): boolean {
  const isSameText = left.name === right.name && left.description === right.description;
  return isSameText && JSON.stringify(left.tags) === JSON.stringify(right.tags);
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
