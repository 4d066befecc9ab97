import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMatchRoute, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { hasRole } from '../../domain/console/console-principal.ts';
import { flagsQuery, projectsQuery } from '../client/queries.ts';
import { useFocusBack, useIsTopmost } from '../parts/dialog.tsx';
import { searchedWords } from '../parts/words.ts';
import { openOverlay, takeTypedAhead } from './overlays.ts';
import { pagesOf } from './pages.tsx';
import classes from './palette.module.css';
import { useCurrentProject } from './project-context.ts';
import { useNextScheme } from './scheme-toggle.tsx';
import { useSession, useSignOut } from './use-session.ts';

interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** The searched text, in lower case. */
  readonly words: string;
  readonly run: () => void;
}

function entry(kind: string, id: string, title: string, run: () => void, more = ''): PaletteEntry {
  return { id: `${kind}/${id}`, title, kind, words: `${title} ${kind} ${more}`.toLowerCase(), run };
}

function useActions(): PaletteEntry[] {
  const scheme = useNextScheme();
  const signOut = useSignOut();
  return [
    entry('action', 'scheme', 'Switch between light and dark', scheme.advance, 'colours theme'),
    entry('action', 'keys', 'Keyboard help', () => openOverlay('help')),
    entry('action', 'sign-out', 'Sign out', signOut, 'log out'),
  ];
}

/** Every destination from here: the present project's pages and flags, other projects, actions. */
function usePaletteEntries(): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const { organisation, isCluster, member } = useSession();
  const project = useCurrentProject();
  const projectId = project?.id ?? '';
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const flags = useQuery({ ...flagsQuery(projectId), enabled: project !== null }).data?.flags ?? [];
  const actions = useActions();
  const pages = project === null ? [] : pagesOf(project);
  const isAtFlags = useMatchRoute()({ to: '/projects/$projectId/flags', params: { projectId } }) !== false;
  // Like the page's own button: the way back from the dialog leaves the page, which asks first.
  const create = () =>
    void navigate({
      to: '/projects/$projectId/flags',
      params: { projectId },
      search: { create: 'yes' },
      replace: isAtFlags,
    });
  return [
    ...pages.map(({ title, to }) =>
      entry('page', to, title, () => void navigate({ to, params: { projectId } })),
    ),
    ...(organisation === null
      ? []
      : [
          entry('page', 'members', 'Members', () => void navigate({ to: '/members' })),
          entry('page', 'audit', 'Organisation log', () => void navigate({ to: '/audit' }), 'audit'),
        ]),
    entry('page', 'projects', 'Projects', () => void navigate({ to: '/projects' })),
    entry('page', 'settings', 'Settings', () => void navigate({ to: '/settings' })),
    ...(isCluster && hasRole(member.role, 'owner')
      ? [entry('page', 'nodes', 'Nodes', () => void navigate({ to: '/nodes' }), 'cluster')]
      : []),
    ...(project !== null && hasRole(project.role, 'editor')
      ? [entry('action', 'create', 'Create flag', create)]
      : []),
    ...actions,
    ...projects.map(({ id, name }) =>
      entry(
        'project',
        id,
        name,
        () => void navigate({ to: '/projects/$projectId/flags', params: { projectId: id } }),
      ),
    ),
    ...flags.map(({ id, name, tags }) =>
      entry(
        'flag',
        id,
        name,
        () => void navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId: id } }),
        `${id} ${tags.join(' ')}`,
      ),
    ),
  ];
}

const shownMax = 12;

function matching(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = searchedWords(text);
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
      {entries.length === 0 && <p className={classes.none}>Nothing found.</p>}
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
    // The focus goes back at once: the rest of the key press would otherwise submit a form behind the palette.
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
