import { CloseButton, Group, Pill, PillsInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react';
import { rulesMax, ruleValuesMax, valueCodePointsMax } from '../../../domain/bounds.ts';
import type { AudienceRule } from '../../../domain/evaluation/audience.ts';
import { ListDialog, type ListedThing } from '../../draft/list-dialog.tsx';
import { useFieldCheck } from '../../parts/checked-form.tsx';
import { attributeRule } from '../../parts/field-rules.ts';
import { SmallButton } from '../../parts/small-button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import {
  isWithinQuotes,
  parseValues,
  tooLongValue,
  withValues,
  writtenValue,
} from '../../parts/value-text.ts';
import { visibleName } from '../../parts/visible-name.ts';
import { countOf, numberWords } from '../../parts/words.ts';
import classes from './audiences.module.css';

/** A rule may have {@link ruleValuesMax} values: a browser cannot show them all. */
const shownMax = 100;
const thing: ListedThing = { noun: 'value', codePointsMax: valueCodePointsMax, mayBeEmpty: true };

interface ValuesInputProps {
  readonly attribute: string;
  readonly values: readonly string[];
  readonly isReadOnly: boolean;
  readonly onChange: (values: string[]) => void;
}

function valuesProblem(values: readonly string[], isDone: boolean): string | null {
  if (values.length === 0) return isDone ? 'Enter at least one value.' : null;
  if (values.length > ruleValuesMax) {
    return `At most ${numberWords(ruleValuesMax)} values: remove ${values.length - ruleValuesMax}.`;
  }
  const long = tooLongValue(values, valueCodePointsMax);
  return long === undefined
    ? null
    : `At most ${valueCodePointsMax} characters a value: ${long.slice(0, 40)} …`;
}

function useTyping({ values, onChange }: ValuesInputProps) {
  const [text, setText] = useState('');
  const take = (written: string) => {
    const added = parseValues(written);
    setText('');
    if (added.length > 0) onChange(withValues(values, added));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isEnd = event.key === 'Enter' || (event.key === ',' && !isWithinQuotes(text));
    if (isEnd && text.trim() !== '') {
      event.preventDefault();
      take(text);
    } else if (event.key === 'Backspace' && text === '' && values.length > 0) {
      onChange(values.slice(0, -1));
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain');
    if (!/[,\n\r]/.test(pasted) || isWithinQuotes(text)) return;
    event.preventDefault();
    take(`${text}${pasted}`);
  };
  return { text, setText, take, onKeyDown, onPaste };
}

/** A long list is edited in a dialog, and typing adds to its end. */
function WholeList({ attribute, values, onChange }: ValuesInputProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <SmallButton mt={6} onClick={dialog.open}>
        Edit all {countOf(values.length, 'value')}
      </SmallButton>
      {isOpen && (
        <ListDialog
          title={`Values of ${attribute === '' ? 'the attribute' : visibleName(attribute)}`}
          thing={thing}
          items={values}
          emptyNote="A rule needs at least one value."
          onApply={onChange}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

/** The exact values of a rule. Mantine's own list of tags would trim them and split them at their commas. */
function ValuesInput(props: ValuesInputProps) {
  const { values, isReadOnly, onChange } = props;
  const { text, setText, take, onKeyDown, onPaste } = useTyping(props);
  // What is typed becomes a value when the field is left.
  const { error, mark } = useFieldCheck((isDone) =>
    isReadOnly ? null : valuesProblem(text.trim() === '' ? values : [...values, text], isDone),
  );
  // The last ones, because typed values are added at the end.
  const shown = values.slice(-shownMax);
  const hidden = values.length - shown.length;
  return (
    <div>
      <PillsInput label="is one of" withAsterisk disabled={isReadOnly} error={error}>
        <Pill.Group>
          {hidden > 0 && <span className={classes.quiet}>{countOf(hidden, 'value')} and</span>}
          {shown.map((value) => (
            <Pill
              key={value}
              className={classes.value}
              disabled={isReadOnly}
              withRemoveButton={!isReadOnly}
              onRemove={() => onChange(values.filter((other) => other !== value))}
            >
              {visibleName(writtenValue(value))}
            </Pill>
          ))}
          <PillsInput.Field
            {...mark}
            placeholder={values.length === 0 ? 'pro, team' : ''}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => take(text)}
          />
        </Pill.Group>
      </PillsInput>
      {hidden > 0 && !isReadOnly && <WholeList {...props} />}
    </div>
  );
}

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
          <TextField
            label={index === 0 ? 'Attribute' : 'and attribute'}
            placeholder="plan"
            required
            rule={isReadOnly ? undefined : attributeRule}
            disabled={isReadOnly}
            value={attribute}
            onText={(attribute) => set(index, { attribute })}
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
          <SmallButton
            disabled={rules.length >= rulesMax}
            onClick={() => onChange([...rules, { attribute: '', values: [] }])}
          >
            Add rule
          </SmallButton>
          <Text size="sm" c="dimmed">
            {rules.length > 1 && 'All rules must match. '}Values match exactly. With a comma, or leading or
            trailing spaces: use quotes.
          </Text>
        </Group>
      )}
    </Stack>
  );
}
