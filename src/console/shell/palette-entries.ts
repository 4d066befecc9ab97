import { useQuery } from '@tanstack/react-query';
import { useMatchRoute, useNavigate } from '@tanstack/react-router';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import type { FoundFlagView, SearchAnswer } from '../../contracts/console/search-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { projectsQuery } from '../client/queries.ts';
import { searchedWords } from '../parts/words.ts';
import { openOverlay } from './overlays.ts';
import { pagesOf } from './pages.tsx';
import { useCurrentProject } from './project-context.ts';
import { type RecentPlace, recentPlaces } from './recent-places.ts';
import { useNextScheme } from './scheme-toggle.tsx';
import { useSession, useSignOut } from './use-session.ts';

export interface PaletteEntry {
  /** Names it among all entries: `flag/ID`. */
  readonly id: string;
  readonly title: string;
  readonly kind: 'page' | 'action' | 'project' | 'environment' | 'audience' | 'flag';
  /** Its project's name; empty for what belongs to no project. */
  readonly place: string;
  /** Further words that find it, in lower case. */
  readonly words: string;
  /** A flag with its states in production. */
  readonly flag?: FoundFlagView;
  readonly run: () => void;
}

/** Entries under a heading; without one while a text is searched. */
export interface EntryGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

/** Of entries that the page itself knows, these many are shown above what the service finds. */
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
    place: '',
    words: `${title} ${kind} ${more}`.toLowerCase(),
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
  return { id: `project/${id}`, title: name, kind: 'project', place: '', words: name.toLowerCase(), run };
}

function foundEntry(result: SearchAnswer['results'][number], open: Open): PaletteEntry {
  if (result.kind === 'project') return projectEntry(result, open);
  const { kind, projectId, name } = result;
  const shown = { title: name, place: result.projectName, words: '' };
  if (kind === 'environment') {
    const { number } = result;
    return { ...shown, kind, id: `${kind}/${projectId}/${number}`, run: () => open.flags(projectId, number) };
  }
  const { id } = result;
  if (kind === 'audience')
    return { ...shown, kind, id: `${kind}/${id}`, run: () => open.audience(projectId, id) };
  return { ...shown, kind, flag: result, id: `${kind}/${id}`, run: () => open.flag(projectId, id) };
}

/** @param found the same flag, if the service has found it: with its state */
function recentEntry(
  { kind, projectId, id, name }: RecentPlace,
  place: string,
  found: PaletteEntry | undefined,
  open: Open,
): PaletteEntry {
  const run = () => open[kind](projectId, id);
  return found ?? { id: `${kind}/${id}`, title: name, kind, place, words: '', run };
}

/** Each searched word begins a word of the entry. */
function isMeant({ words: own }: PaletteEntry, words: readonly string[]): boolean {
  return words.every(
    (word) => own.split(/[\s\-_./]+/).some((begun) => begun.startsWith(word)) || own.startsWith(word),
  );
}

/**
 * What the palette shows: with a text, the pages, actions and projects that it begins, then what the service has found;
 * without one, recent places and the flags that are on in production, then every page and action.
 */
export function usePaletteGroups(text: string, found: SearchAnswer | undefined): readonly EntryGroup[] {
  const { member } = useSession();
  const open = useOpen();
  const project = useCurrentProject();
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const own = [...usePages(project), ...useActions(project)];
  const results = (found?.results ?? []).map((result) => foundEntry(result, open));
  const words = searchedWords(text);
  if (words.length > 0) {
    const meant = [...own, ...projects.map((one) => projectEntry(one, open))].filter((entry) =>
      isMeant(entry, words),
    );
    const first = meant.slice(0, ownShownMax);
    const others = results.filter(({ id }) => !first.some((entry) => entry.id === id));
    return [{ title: '', entries: [...first, ...others].slice(0, shownMax) }];
  }
  const names = new Map(projects.map(({ id, name }) => [id, name] as const));
  const recent = recentPlaces(member.id)
    .filter(({ projectId }) => names.has(projectId))
    .map((place) => {
      const known = results.find(({ id }) => id === `${place.kind}/${place.id}`);
      return recentEntry(place, names.get(place.projectId) ?? '', known, open);
    });
  const live = results.filter(({ id }) => !recent.some((entry) => entry.id === id));
  const groups = [
    { title: 'Recent', entries: recent },
    { title: 'On in production', entries: live },
    { title: 'Pages and actions', entries: own },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}
