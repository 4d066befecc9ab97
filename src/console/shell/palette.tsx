import { Modal } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useIsTopmost } from '../parts/topmost-dialog.ts';
import { useFocusBack } from '../parts/use-focus-back.ts';
import classes from './palette.module.css';
import { type PaletteEntry, usePaletteEntries } from './palette-entries.ts';
import { takeTypedAhead } from './typed-ahead.ts';

const shownMax = 12;

function matching(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = entries.filter(({ words: own }) => words.every((word) => own.includes(word)));
  return found.slice(0, shownMax);
}

interface OptionsProps {
  readonly listId: string;
  readonly entries: readonly PaletteEntry[];
  readonly active: number;
  readonly onPick: (entry: PaletteEntry) => void;
}

function Options({ listId, entries, active, onPick }: OptionsProps) {
  return (
    <div id={listId} role="listbox" aria-label="Results" className={classes.list}>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys, the list follows.
        <div
          key={entry.id}
          id={`${listId}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={classes.option}
          onClick={() => onPick(entry)}
        >
          <span>{entry.title}</span>
          <span className={classes.kind}>{entry.kind}</span>
        </div>
      ))}
      {entries.length === 0 && <p className={classes.none}>Nothing is called that.</p>}
    </div>
  );
}

/** Ctrl+K: flags, pages and actions by their names. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const listId = useId();
  const isTopmost = useIsTopmost();
  useFocusBack();
  const entries = matching(usePaletteEntries(), text);
  const pick = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onFocus = () => {
    const typed = takeTypedAhead();
    setText((present) => present + typed.text);
    setEntered(typed.isEntered);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was found when Enter came is meant.
  useEffect(() => {
    if (isEntered) pick(entries[active]);
  }, [isEntered]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setActive((active + step + entries.length) % entries.length);
    }
    if (event.key !== 'Enter') return;
    // The focus goes back at once: in a form below, the rest of the key would send it off.
    event.preventDefault();
    pick(entries[active]);
  };
  return (
    <Modal.Root
      opened
      closeOnEscape={isTopmost}
      trapFocus={isTopmost}
      onClose={onClose}
      size="lg"
      yOffset="12vh"
      centered={false}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label="Go to">
        <input
          className={classes.input}
          data-autofocus
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={entries.length > 0 ? `${listId}-${active}` : undefined}
          aria-label="Flag, page or action"
          placeholder="Flag, page or action"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onFocus={onFocus}
          onKeyDown={onKey}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
        />
        <Options listId={listId} entries={entries} active={active} onPick={pick} />
      </Modal.Content>
    </Modal.Root>
  );
}
