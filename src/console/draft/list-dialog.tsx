import { Button, CloseButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { type ClipboardEvent, useEffect, useState } from 'react';
import { SmallButton } from '../parts/small-button.tsx';
import { TextField } from '../parts/text-field.tsx';
import { parseValues, tooLongValue, withEdits, withValues, writtenValue } from '../parts/value-text.ts';
import { visibleName } from '../parts/visible-name.ts';
import { countOf } from '../parts/words.ts';
import { GuardedDialog } from './form-dialog.tsx';
import classes from './list-dialog.module.css';

const listedMax = 200;
/** More values at once go into the list: in a field with thousands of lines each keystroke would take seconds. */
const pastedIntoFieldMax = 100;
/** The longest text whose field is as high as its lines. */
const measuredMax = 20_000;

/** The words for the items, and their bounds. */
export interface ListedThing {
  /** For the middle of a sentence: `cohort`; the plural has an s. */
  readonly noun: string;
  readonly codePointsMax: number;
  /** Whether an item may be the empty text. */
  readonly mayBeEmpty: boolean;
}

interface ListDialogProps {
  readonly title: string;
  readonly thing: ListedThing;
  readonly items: readonly string[];
  /** The meaning of an empty list here. */
  readonly emptyNote: string;
  readonly onApply: (items: string[]) => void;
  readonly onClose: () => void;
}

interface ListedProps {
  readonly label: string;
  readonly items: readonly string[];
  readonly onRemove: (item: string) => void;
}

function Listed({ label, items, onRemove }: ListedProps) {
  const [wanted, setWanted] = useState('');
  const found = wanted === '' ? items : items.filter((item) => item.includes(wanted));
  return (
    <div>
      {items.length > 10 && (
        <TextField
          mb="xs"
          aria-label="Find in the list"
          placeholder="Find in the list"
          value={wanted}
          // A search is not an unsaved entry, so the dialog must not ask about it.
          onInput={(event) => event.stopPropagation()}
          onText={setWanted}
        />
      )}
      <ul className={classes.list} aria-label={label}>
        {found.slice(0, listedMax).map((item) => (
          <li key={item} className={classes.item}>
            <span>{writtenValue(item)}</span>
            <CloseButton
              size="xs"
              aria-label={`Remove ${visibleName(item)}`}
              onClick={() => onRemove(item)}
            />
          </li>
        ))}
      </ul>
      {found.length > listedMax && (
        <Text size="sm" c="dimmed">
          and {countOf(found.length - listedMax, 'more', 'more')}: find them by name
        </Text>
      )}
    </div>
  );
}

/** Edits a long list of texts: members remove them one by one, or paste many at once. */
export function ListDialog({ title, thing, items, emptyNote, onApply, onClose }: ListDialogProps) {
  const { noun, codePointsMax, mayBeEmpty } = thing;
  const [begun] = useState(items);
  const [list, setList] = useState(begun);
  const [pasted, setPasted] = useState('');
  const parse = (text: string) => parseValues(text).filter((item) => mayBeEmpty || item !== '');
  const added = parse(pasted);
  const tooLong = tooLongValue(added, codePointsMax);
  const result = withEdits(items, begun, withValues(list, added));
  const many = `${noun}s`;
  /** @returns whether the text goes into the list at once */
  const take = (text: string): boolean => {
    const lines = parse(text);
    if (lines.length <= pastedIntoFieldMax || tooLongValue(lines, codePointsMax) !== undefined) return false;
    setList((now) => withValues(now, lines));
    return true;
  };
  const onPaste = (event: ClipboardEvent) => {
    if (take(event.clipboardData.getData('text/plain'))) event.preventDefault();
  };
  const [field, setField] = useState<HTMLTextAreaElement | null>(null);
  // A drop, and some keyboards, put text in without a paste. Chromium then fires two events for each line.
  useEffect(() => {
    const onInput = (event: InputEvent) => {
      if (take(event.data ?? '')) event.preventDefault();
    };
    field?.addEventListener('beforeinput', onInput);
    return () => field?.removeEventListener('beforeinput', onInput);
  });
  return (
    <GuardedDialog size="lg" title={title} isDirty={list !== begun} onClose={onClose}>
      {(close) => (
        <Stack gap="md">
          <Textarea
            label={`Add ${many}`}
            description="One per line, or separated by commas. Put an item that contains a comma in double quotes."
            // To measure its lines takes seconds in a long text: one with an entry that is too long stays here.
            {...(pasted.length > measuredMax ? { rows: 8 } : { autosize: true, minRows: 3, maxRows: 8 })}
            data-autofocus
            spellCheck={false}
            value={pasted}
            error={tooLong && `A ${noun} has at most ${codePointsMax} characters: ${tooLong.slice(0, 40)}…`}
            ref={setField}
            onPaste={onPaste}
            onChange={(event) => setPasted(event.currentTarget.value)}
          />
          {list.length > 0 && (
            <Listed
              label={`${many.slice(0, 1).toUpperCase()}${many.slice(1)}`}
              items={list}
              onRemove={(item) => setList(list.filter((other) => other !== item))}
            />
          )}
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm" c="dimmed" role="status">
              {result.length === 0 ? emptyNote : `${countOf(result.length, noun)} in all.`}
            </Text>
            {list.length > 0 && <SmallButton onClick={() => setList([])}>Remove all</SmallButton>}
          </Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              disabled={tooLong !== undefined}
              onClick={() => {
                onApply(result);
                onClose();
              }}
            >
              Add to draft
            </Button>
          </Group>
        </Stack>
      )}
    </GuardedDialog>
  );
}
