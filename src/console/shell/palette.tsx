import { Kbd, Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { toConsoleError } from '../client/console-error.ts';
import { searchLengthMax, searchQuery } from '../client/search.ts';
import { useFocusBack, useIsTopmost } from '../parts/dialog.tsx';
import { takeTypedAhead } from './overlays.ts';
import classes from './palette.module.css';
import { type EntryGroup, type PaletteEntry, usePaletteGroups } from './palette-entries.ts';
import { PaletteList, switchId } from './palette-list.tsx';
import { useSession } from './use-session.ts';

/** How long after the last key the service is asked. */
const quietMs = 100;

/** @returns what the service has found, and whether that is the answer for the present text */
function useFound(text: string) {
  const [asked] = useDebouncedValue(text, quietMs);
  const found = useQuery({ ...searchQuery(asked), placeholderData: keepPreviousData });
  const isSettled = asked === text && !found.isFetching && !found.isPlaceholderData;
  return { found: found.data, error: found.error, isSettled };
}

interface RestProps {
  readonly text: string;
  readonly isEmpty: boolean;
  readonly isSettled: boolean;
  readonly isComplete: boolean;
  readonly error: unknown;
}

/** What is to be said about the result as a whole. */
function Rest({ text, isEmpty, isSettled, isComplete, error }: RestProps) {
  const { organisation } = useSession();
  if (error !== null) {
    const { title, message } = toConsoleError(error);
    return <p className={classes.none}>{`The search failed. ${title}. ${message}`}</p>;
  }
  if (isEmpty && !isSettled) return <p className={classes.none}>Searching …</p>;
  if (isEmpty) {
    const place = organisation?.name ?? 'your projects';
    return (
      <p className={classes.none}>
        No matches in <em>{place}</em>
      </p>
    );
  }
  if (isComplete || text.trim() === '') return null;
  return <p className={classes.none}>There are more matches: type more of the name.</p>;
}

function Legend() {
  return (
    <p className={classes.legend}>
      <span>
        <Kbd size="xs">Enter</Kbd> opens
      </span>
      <span>
        <Kbd size="xs">Ctrl Enter</Kbd> switches a flag in production
      </span>
      <span>
        <Kbd size="xs">Tab</Kbd> goes to its switch
      </span>
    </p>
  );
}

function entriesOf(groups: readonly EntryGroup[]): readonly PaletteEntry[] {
  return groups.flatMap(({ entries }) => entries);
}

/** Ctrl+K: flags, audiences, environments and projects of the whole organisation, pages and actions, by name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  /** Id of the chosen entry; null, and one that is not shown any more: the first. */
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [isEntered, setEntered] = useState(false);
  const listId = useId();
  const isTopmost = useIsTopmost();
  useFocusBack();
  const { found, error, isSettled } = useFound(text);
  const groups = usePaletteGroups(text, found);
  const entries = entriesOf(groups);
  const chosen = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosenId),
  );
  const pick = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onFocus = () => {
    const typed = takeTypedAhead();
    if (typed.text !== '') setText((present) => present + typed.text);
    if (typed.isEntered) setEntered(true);
  };
  // Enter may come before the answer: the first entry is meant, as soon as there is one.
  const entered = isEntered ? entries[chosen] : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is picked once.
  useEffect(() => {
    if (entered !== undefined) pick(entered);
    else if (isEntered && isSettled) setEntered(false);
  }, [entered?.id, isEntered, isSettled]);
  const optionId = `${listId}-${chosen}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen option is another element then.
  useEffect(() => {
    document.getElementById(optionId)?.scrollIntoView({ block: 'nearest' });
  }, [optionId, chosenId]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setChosenId(entries[(chosen + step + entries.length) % entries.length]?.id ?? null);
    }
    if (event.key !== 'Enter') return;
    // The focus goes back at once: the rest of the key press would otherwise submit a form behind the palette.
    event.preventDefault();
    const entry = entries[chosen];
    if (event.ctrlKey || event.metaKey) document.getElementById(switchId(entry?.flag?.id ?? ''))?.click();
    else setEntered(true);
  };
  return (
    <Modal.Root
      opened
      closeOnEscape={isTopmost}
      trapFocus={isTopmost}
      onClose={onClose}
      size="xl"
      yOffset="6vh"
      xOffset="8px"
      centered={false}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label="Go to">
        <div className={classes.palette}>
          <input
            className={classes.input}
            data-autofocus
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={entries.length > 0 ? optionId : undefined}
            aria-label="Flag, page or action"
            placeholder="Flag, page or action"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="go"
            maxLength={searchLengthMax}
            value={text}
            onFocus={onFocus}
            onKeyDown={onKey}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosenId(null);
              setEntered(false);
            }}
          />
          <div className={classes.found}>
            <PaletteList listId={listId} groups={groups} chosen={chosen} onPick={pick} />
            <Rest
              text={text}
              isEmpty={entries.length === 0}
              isComplete={found?.isComplete !== false}
              {...{ isSettled, error }}
            />
          </div>
          <Legend />
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
