import { Button, Pill, PillsInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react';
import { valueCodePointsMax } from '../../../domain/audience/audience-edit.ts';
import { ListDialog, type ListedThing } from '../../draft/list-dialog.tsx';
import { countOf } from '../../parts/count-words.ts';
import { isWithinQuotes, parseValues, withValues, writtenValue } from '../../parts/value-text.ts';
import classes from './audiences.module.css';

/** A rule may have 100,000 values: a browser cannot show them all, and nobody could read them. */
const shownMax = 100;
const thing: ListedThing = { noun: 'value', codePointsMax: valueCodePointsMax, mayBeEmpty: true };

interface ValuesInputProps {
  readonly attribute: string;
  readonly values: readonly string[];
  readonly isReadOnly: boolean;
  readonly onChange: (values: string[]) => void;
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
      <Button size="compact-sm" variant="default" mt={6} onClick={dialog.open}>
        Edit all {countOf(values.length, 'value')}
      </Button>
      {isOpen && (
        <ListDialog
          title={`Values of ${attribute === '' ? 'the attribute' : attribute}`}
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
export function ValuesInput(props: ValuesInputProps) {
  const { values, isReadOnly, onChange } = props;
  const { text, setText, take, onKeyDown, onPaste } = useTyping(props);
  // The last ones: that is where what is typed arrives.
  const shown = values.slice(-shownMax);
  const hidden = values.length - shown.length;
  return (
    <div>
      <PillsInput label="is one of" withAsterisk disabled={isReadOnly}>
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
              {writtenValue(value)}
            </Pill>
          ))}
          <PillsInput.Field
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
