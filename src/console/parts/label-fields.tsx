import { TagsInput, Textarea } from '@mantine/core';
import { changesBetween } from '../draft/draft.ts';
import { TextField } from './text-field.tsx';

/** What a flag is called, and how it is found. */
export interface EditedLabels {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
}

/** What differs from what it began with. The rest may have been changed by others meanwhile, and stays as it is. */
export function changedLabels(labels: EditedLabels, begun: EditedLabels): Partial<EditedLabels> {
  const changes = changesBetween({ ...begun }, { ...labels });
  return Object.fromEntries(changes.map(({ key, after }) => [key, after]));
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
      <TextField label="Name" required data-autofocus value={name} onText={(to) => onChange({ name: to })} />
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
        // The service tells upper and lower case apart; Mantine's lists do not.
        isDuplicate={(tag, present) => present.includes(tag)}
        value={tags}
        onChange={(next) => onChange({ tags: next })}
      />
    </>
  );
}
