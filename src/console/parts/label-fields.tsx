import { TagsInput, Textarea } from '@mantine/core';
import { changesBetween } from '../draft/draft.ts';
import { TextField } from './text-field.tsx';

/** The name, description and tags of a flag. */
export interface EditedLabels {
  readonly name: string;
  readonly description: string;
  readonly tags: string[];
}

/** The labels that differ from their first values. Others may have changed the rest meanwhile, and it stays. */
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
        description="Press Enter after each"
        // The service compares case; Mantine's lists do not.
        isDuplicate={(tag, present) => present.includes(tag)}
        value={tags}
        onChange={(next) => onChange({ tags: next })}
      />
    </>
  );
}
