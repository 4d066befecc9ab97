import { useQuery } from '@tanstack/react-query';
import { useMatchRoute, useNavigate } from '@tanstack/react-router';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import type { FoundFlagView } from '../../contracts/console/search-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { findsId } from '../../domain/console/finds-id.ts';

import { projectsQuery } from '../client/queries.ts';
import { type Found, type FoundRow, resultId } from '../client/search.ts';
import { useProjectPreferences } from '../parts/use-preferences.ts';
import { searchedWords } from '../parts/words.ts';
import { openOverlay } from './overlays.ts';
import { pagesOf } from './pages.tsx';
import { useCurrentProject } from './project-context.ts';
import { type RecentRecord, recentRecords } from './recent-records.ts';
import { useNextScheme } from './scheme-toggle.tsx';
import { useSession, useSignOut } from './use-session.ts';

export interface PaletteEntry {
  /** Names it among all entries: `flag/ID`. */
  readonly id: string;
  readonly title: string;
  readonly kind: 'page' | 'action' | 'project' | 'environment' | 'audience' | 'flag';
  /** Its project's name; empty for what belongs to no project. */
  readonly projectName: string;
  /** The words that find it, in lower case; empty for what the service finds. */
  readonly words: string;
  /** A flag with its states in production. */
  readonly flag?: FoundFlagView;
  /** Whether the flag was on in production when it was found. Switching it does not move its row. */
  readonly wasOn?: boolean;
  readonly run: () => void;
}

/** Entries under a heading; without one while a text is searched. */
export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

/** At most this many of the page's own entries are shown with what the service finds. */
const ownShownMax = 8;
const shownMax = 40;

function useOpen() {
  const navigate = useNavigate();
  return {
    flag: (projectId: string, flagId: string) =>
      void navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId } }),
    audience: (projectId: string, audienceId: string) =>
      void navigate({ to: '/projects/$projectId/audiences/$audienceId', params: { projectId, audienceId } }),
    flags: (projectId: string, environment?: number) =>
      void navigate({
        to: '/projects/$projectId/flags',
        params: { projectId },
        search: environment === undefined ? {} : { column: String(environment) },
      }),
  };
}

type Open = ReturnType<typeof useOpen>;

function ownEntry(
  kind: 'page' | 'action',
  id: string,
  title: string,
  run: () => void,
  more = '',
): PaletteEntry {
  return {
    id: `${kind}/${id}`,
    title,
    kind,
    projectName: '',
    words: `${title} ${more}`.toLowerCase(),
    run,
  };
}

function useActions(project: ProjectView | null): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const scheme = useNextScheme();
  const signOut = useSignOut();
  const projectId = project?.id ?? '';
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
    ...(project !== null && hasRole(project.role, 'editor')
      ? [ownEntry('action', 'create', 'Create flag', create)]
      : []),
    ownEntry('action', 'scheme', 'Switch between light and dark', scheme.advance, 'colours theme'),
    ownEntry('action', 'keys', 'Keyboard help', () => openOverlay('help')),
    ownEntry('action', 'sign-out', 'Sign out', signOut, 'log out'),
  ];
}

function usePages(project: ProjectView | null): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const { organisation, isCluster, member } = useSession();
  const projectId = project?.id ?? '';
  const own = project === null ? [] : pagesOf(project);
  const isOwner = hasRole(member.role, 'owner');
  const page = (to: '/members' | '/audit' | '/projects' | '/settings' | '/nodes', title: string, more = '') =>
    ownEntry('page', to.slice(1), title, () => void navigate({ to }), more);
  return [
    ...own.map(({ title, to }) =>
      ownEntry('page', to, title, () => void navigate({ to, params: { projectId } })),
    ),
    ...(organisation === null
      ? []
      : [page('/members', 'Members'), page('/audit', 'Organisation log', 'audit')]),
    page('/projects', 'Projects'),
    page('/settings', 'Settings'),
    ...(isCluster && isOwner ? [page('/nodes', 'Nodes', 'cluster')] : []),
  ];
}

function projectEntry(
  { id, name }: { readonly id: string; readonly name: string },
  open: Open,
): PaletteEntry {
  const run = () => open.flags(id);
  return {
    id: `project/${id}`,
    title: name,
    kind: 'project',
    projectName: '',
    words: name.toLowerCase(),
    run,
  };
}

function foundEntry(row: FoundRow, open: Open): PaletteEntry {
  if (row.kind === 'project') return projectEntry(row, open);
  const { kind, projectId, name, wasOn } = row;
  const shown = { id: resultId(row), title: name, projectName: row.projectName, words: '' };
  if (kind === 'environment') return { ...shown, kind, run: () => open.flags(projectId, row.number) };
  const { id } = row;
  if (kind === 'audience') return { ...shown, kind, run: () => open.audience(projectId, id) };
  return { ...shown, kind, flag: row, wasOn, run: () => open.flag(projectId, id) };
}

/** @param found the same flag, if the service has found it: with its state */
function recentEntry(
  { kind, projectId, id, name }: RecentRecord,
  projectName: string,
  found: PaletteEntry | undefined,
  open: Open,
): PaletteEntry {
  const run = () => open[kind](projectId, id);
  return found ?? { id: `${kind}/${id}`, title: name, kind, projectName, words: '', run };
}

/** Favourites of the page's project that the palette shows. */
const favouritesShownMax = 12;

function useFavourites(): readonly string[] {
  const project = useCurrentProject();
  return useProjectPreferences(project?.id ?? '').favourites.slice(0, favouritesShownMax);
}

/** Ids of the flags that the member has marked or opened last: the palette shows them with their states. */
export function useOwnFlags(): readonly string[] {
  const { member } = useSession();
  const recent = recentRecords(member.id).filter(({ kind }) => kind === 'flag');
  return [...new Set([...useFavourites(), ...recent.map(({ id }) => id)])];
}

/** Each searched word begins a word of the entry. */
function isMeant({ words: own }: PaletteEntry, words: readonly string[]): boolean {
  return words.every(
    (word) => own.split(/[\s\-_./]+/).some((begun) => begun.startsWith(word)) || own.startsWith(word),
  );
}

/**
 * The order of entries for a text: flags that are on in production first, but a name that is exactly the text before
 * them.
 */
function rankOf({ title, wasOn = false, words }: PaletteEntry, text: string): number {
  const isExact = title.toLowerCase() === text.trim().toLowerCase();
  if (isExact) return wasOn ? 0 : 1;
  if (wasOn) return 2;
  return words === '' ? 4 : 3;
}

function inOrder(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  return [...entries].sort((one, other) => rankOf(one, text) - rankOf(other, text));
}

/** Whether a row that was found for another text may be shown until this text's own rows come. */
function mayStay(row: FoundRow, words: readonly string[]): boolean {
  const name = row.name.toLowerCase();
  const isMeantBy = (word: string): boolean => name.includes(word) || findsId(word, resultId(row));
  return words.length === 0 ? row.wasOn : words.every(isMeantBy);
}

/** What the service has found. */
interface FoundNow {
  readonly found: Found | undefined;
  /** Whether this is the answer for the present text. */
  readonly isSettled: boolean;
}

/**
 * What the palette shows: with a text, the pages, actions and projects that it begins, and what the service has found;
 * without one, favourites, recent places and the flags that are on in production, then every page and action.
 */
export function usePaletteGroups(text: string, { found, isSettled }: FoundNow): readonly EntryGroup[] {
  const { member } = useSession();
  const open = useOpen();
  const project = useCurrentProject();
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const own = [...usePages(project), ...useActions(project)];
  const words = searchedWords(text);
  const favourites = useFavourites();
  const results = (found?.results ?? [])
    .filter((row) => isSettled || mayStay(row, words))
    .map((row) => foundEntry(row, open));
  if (words.length > 0) {
    const meant = [...own, ...projects.map((one) => projectEntry(one, open))].filter((entry) =>
      isMeant(entry, words),
    );
    const first = inOrder(meant, text).slice(0, ownShownMax);
    const others = results.filter(({ id }) => !first.some((entry) => entry.id === id));
    return [{ title: '', entries: inOrder([...first, ...others], text).slice(0, shownMax) }];
  }
  const names = new Map(projects.map(({ id, name }) => [id, name] as const));
  const marked = results.filter(({ flag }) => flag !== undefined && favourites.includes(flag.id));
  const recent = recentRecords(member.id)
    .filter(({ projectId, id }) => names.has(projectId) && !marked.some(({ flag }) => flag?.id === id))
    .map((recent) => {
      const known = results.find(({ id }) => id === `${recent.kind}/${recent.id}`);
      return recentEntry(recent, names.get(recent.projectId) ?? '', known, open);
    });
  const shown = new Set([...marked, ...recent].map(({ id }) => id));
  const live = results.filter(({ id, wasOn }) => wasOn === true && !shown.has(id));
  const groups = [
    { title: 'Favourites', entries: marked },
    { title: 'Recent', entries: recent },
    { title: 'On in production', entries: live },
    { title: 'Pages and actions', entries: own },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}
