import { TagsInput, Textarea } from '@mantine/core';
import { TextField } from './text-field.tsx';

/** Whether a value is in a list already. Upper and lower case are told apart, as the service does; Mantine's lists do not. */
function isExactDuplicate(value: string, present: readonly string[]): boolean {
  return present.includes(value);
}

/** What a flag is called, and how it is found. */
export interface EditedLabels {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
}

/** What differs from what it began with. The rest may have been changed by others meanwhile, and stays as it is. */
export function changedLabels(labels: EditedLabels, begun: EditedLabels): Partial<EditedLabels> {
  return {
    ...(labels.name !== begun.name && { name: labels.name }),
    ...(labels.description !== begun.description && { description: labels.description }),
    ...(JSON.stringify(labels.tags) !== JSON.stringify(begun.tags) && { tags: labels.tags }),
  };
}

export function areSameLabels(left: EditedLabels, right: EditedLabels): boolean {
  return Object.keys(changedLabels(left, right)).length === 0;
}

interface LabelFieldsProps {
  readonly labels: EditedLabels;
  readonly descriptionRowsMax: number;
  readonly onChange: (change: Partial<EditedLabels>) => void;
}

export function LabelFields({ labels, descriptionRowsMax, onChange }: LabelFieldsProps) {
  const { name, description, tags } = labels;
  return (
    <>
      <TextField
        label="Name"
        required
        data-autofocus
        value={name}
        onText={(next) => onChange({ name: next })}
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
