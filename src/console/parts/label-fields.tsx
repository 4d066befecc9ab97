import type { ReactNode } from 'react';
import { changesBetween } from '../draft/draft.ts';
import { descriptionRule, nameRule, renamingRule, tagList } from './field-rules.ts';
import { ListField, LongTextField, TextField } from './text-field.tsx';

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
  /** The flag's present name, which is always valid. */
  readonly presentName?: string;
  /** Below the name. */
  readonly nameNote?: ReactNode;
  readonly onChange: (change: Partial<EditedLabels>) => void;
}

export function LabelFields({
  labels,
  descriptionRowsMax,
  presentName,
  nameNote,
  onChange,
}: LabelFieldsProps) {
  const { name, description, tags } = labels;
  return (
    <>
      <TextField
        label="Name"
        required
        data-autofocus
        rule={presentName === undefined ? nameRule : renamingRule(nameRule, presentName)}
        note={nameNote}
        value={name}
        onText={(to) => onChange({ name: to })}
      />
      <LongTextField
        label="Description"
        rule={descriptionRule}
        autosize
        minRows={2}
        maxRows={descriptionRowsMax}
        value={description}
        onText={(to) => onChange({ description: to })}
      />
      <ListField
        label="Tags"
        description="Press Enter after each"
        items={tagList}
        value={tags}
        onChange={(next) => onChange({ tags: next })}
      />
    </>
  );
}
