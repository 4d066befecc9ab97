import { Button, CloseButton, Group, Stack, Text, TextInput } from '@mantine/core';
import type { AudienceRule } from '../../../domain/evaluation/audience.ts';
import classes from './audiences.module.css';
import { ValuesInput } from './values-input.tsx';

/** An audience holds 1 to 50 rules (decisions). */
const rulesMax = 50;

export interface EditedRule {
  readonly attribute: string;
  readonly values: string[];
}

export function editedRules(rules: readonly AudienceRule[]): EditedRule[] {
  return rules.map(({ attribute, values }) => ({ attribute, values: [...values] }));
}

interface RulesEditorProps {
  readonly rules: readonly EditedRule[];
  readonly isReadOnly?: boolean;
  readonly onChange: (rules: EditedRule[]) => void;
}

/** Every rule must match; a rule matches when one of the caller's values is exactly one of its own. */
export function RulesEditor({ rules, isReadOnly = false, onChange }: RulesEditorProps) {
  const set = (index: number, part: Partial<EditedRule>) =>
    onChange(rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)));
  return (
    <Stack gap="sm">
      {rules.map(({ attribute, values }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule has nothing else that stays while it is typed.
        <div key={index} className={classes.rule} data-alone={rules.length === 1 || isReadOnly || undefined}>
          <TextInput
            label={index === 0 ? 'Attribute' : 'and attribute'}
            placeholder="plan"
            required
            disabled={isReadOnly}
            value={attribute}
            onChange={(event) => set(index, { attribute: event.currentTarget.value })}
          />
          <ValuesInput
            attribute={attribute}
            values={values}
            isReadOnly={isReadOnly}
            onChange={(next) => set(index, { values: next })}
          />
          {rules.length > 1 && !isReadOnly && (
            <CloseButton
              mt={26}
              aria-label={`Remove rule ${index + 1}`}
              onClick={() => onChange(rules.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <Group justify="space-between">
          <Button
            size="compact-sm"
            variant="default"
            disabled={rules.length >= rulesMax}
            onClick={() => onChange([...rules, { attribute: '', values: [] }])}
          >
            Add rule
          </Button>
          <Text size="sm" c="dimmed">
            {rules.length > 1 && 'All rules must match. '}Values match exactly. One with a comma or with outer
            blanks goes in quotes.
          </Text>
        </Group>
      )}
    </Stack>
  );
}
