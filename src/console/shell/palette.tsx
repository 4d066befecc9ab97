import { Kbd, Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { hasRole } from '../../domain/console/console-principal.ts';
import { toConsoleError } from '../client/console-error.ts';
import { projectsQuery } from '../client/queries.ts';
import { forgetSearches, searchLengthMax, searchQuery } from '../client/search.ts';
import { useFocusBack, useIsTopmost } from '../parts/dialog.tsx';
import { SafeName } from '../parts/safe-name.tsx';
import { visibleName } from '../parts/visible-name.ts';
import classes from './palette.module.css';
import { type EntryGroup, type PaletteEntry, useOwnFlags, usePaletteGroups } from './palette-entries.ts';
import { PaletteList, switchId } from './palette-list.tsx';
import { useSession } from './use-session.ts';

/** What Enter does: it opens the chosen entry, or with Ctrl switches its flag. */
type Press = 'open' | 'switch';

/** How long after the last key the service is asked. */
const quietMs = 100;

/** What the service has found; the rows of the former text, until this text is answered. */
function useFound(text: string) {
  const client = useQueryClient();
  const [asked] = useDebouncedValue(text, quietMs);
  const own = useOwnFlags();
  const [also] = useState(own);
  const { data, error, isPending, isPlaceholderData } = useQuery({
    ...searchQuery(asked, null, also),
    placeholderData: keepPreviousData,
  });
  useEffect(() => () => forgetSearches(client), [client]);
  const isSettled = asked.trim() === text.trim() && !isPending && !isPlaceholderData;
  return { found: data, error, isSettled };
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
    const where = organisation?.name ?? 'your projects';
    return (
      <p className={classes.none}>
        No matches in{' '}
        <em>
          <SafeName name={where} />
        </em>
      </p>
    );
  }
  if (isComplete || text.trim() === '') return null;
  return <p className={classes.none}>There are more matches: type more of the name.</p>;
}

function Legend() {
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const canSwitch = projects.some(({ role }) => hasRole(role, 'editor'));
  return (
    <p className={classes.legend}>
      <span>
        <Kbd size="xs">Enter</Kbd> opens
      </span>
      {canSwitch && (
        <>
          <span>
            <Kbd size="xs">Ctrl Enter</Kbd> switches a flag in production
          </span>
          <span>
            <Kbd size="xs">Tab</Kbd> goes to its switch
          </span>
        </>
      )}
    </p>
  );
}

function entriesOf(groups: readonly EntryGroup[]): readonly PaletteEntry[] {
  return groups.flatMap(({ entries }) => entries);
}

/** Why an entry has nothing to switch; null if its switch can be used. */
function obstacleOf(entry: PaletteEntry | undefined): string | null {
  if (entry === undefined) return 'there is no match';
  const { kind, title, flag } = entry;
  const name = visibleName(title);
  if (flag === undefined) return kind === 'flag' ? `open ${name} to switch it` : `${name} is not a flag`;
  if (flag.states.length === 0) return `${name} has no production environment`;
  const control = document.getElementById(switchId(flag.id)) as HTMLInputElement | null;
  return control?.disabled === false
    ? null
    : `only Editors change flags of ${visibleName(entry.projectName)}`;
}

/** People go on typing after Ctrl+K: the dialog's own focus would come after the next keys. */
function focusAtOnce(input: HTMLInputElement | null): void {
  input?.focus();
}

/** Ctrl+K: flags, audiences, environments and projects of the whole organisation, pages and actions, by name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  /** Id of the chosen entry; null, and one that is not shown any more: the first. */
  const [chosenId, setChosenId] = useState<string | null>(null);
  /** What was pressed before the answer came: it is meant for what will then be shown. */
  const [waiting, setWaiting] = useState<Press | null>(null);
  const [refusal, setRefusal] = useState('');
  const listId = useId();
  const isTopmost = useIsTopmost();
  useFocusBack();
  const { found, error, isSettled } = useFound(text);
  const groups = usePaletteGroups(text, { found, isSettled });
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
  const act = (press: Press, entry: PaletteEntry | undefined) => {
    if (press === 'open') return pick(entry);
    const obstacle = obstacleOf(entry);
    setRefusal(obstacle === null ? '' : `Nothing was switched: ${obstacle}.`);
    if (obstacle === null) document.getElementById(switchId(entry?.flag?.id ?? ''))?.click();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is done once, when the answer is shown.
  useEffect(() => {
    if (waiting === null || !isSettled) return;
    setWaiting(null);
    // An entry that was chosen with the arrows may not be among those that were found.
    const meant = chosenId === null ? entries[0] : entries.find(({ id }) => id === chosenId);
    if (error === null) act(waiting, meant);
  }, [waiting, isSettled]);
  const optionId = `${listId}-${chosen}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen option is another element then.
  useEffect(() => {
    document.getElementById(optionId)?.scrollIntoView({ block: 'nearest' });
  }, [optionId, chosenId]);
  const begin = () => {
    setWaiting(null);
    setRefusal('');
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      begin();
      setChosenId(entries[(chosen + step + entries.length) % entries.length]?.id ?? null);
    }
    if (event.key !== 'Enter') return;
    // The focus goes back at once: the rest of the key press would otherwise submit a form behind the palette.
    event.preventDefault();
    // A key that is held would switch on and off.
    if (event.repeat) return;
    const press = event.ctrlKey || event.metaKey ? 'switch' : 'open';
    if (isSettled) act(press, entries[chosen]);
    else setWaiting(press);
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
            ref={focusAtOnce}
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
            onKeyDown={onKey}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosenId(null);
              begin();
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
          <p className={classes.refusal} role="status">
            {refusal}
          </p>
          <Legend />
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
