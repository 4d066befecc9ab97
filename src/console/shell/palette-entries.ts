import { useQuery } from '@tanstack/react-query';
import { useMatchRoute, useNavigate } from '@tanstack/react-router';
import { hasRole } from '../../domain/console/console-principal.ts';
import { flagsQuery, projectsQuery } from '../client/queries.ts';
import { useCurrentProject } from './current-project.ts';
import { openOverlay } from './overlays.ts';
import { pagesOf } from './pages.ts';
import { useNextScheme } from './scheme-toggle.tsx';
import { useSession } from './use-session.ts';
import { useSignOut } from './use-sign-out.ts';

export interface PaletteEntry {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  /** What is searched, in lower case. */
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

/** Everything that can be gone to from here: the current project's pages and flags, other projects, actions. */
export function usePaletteEntries(): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const { organisation } = useSession();
  const project = useCurrentProject();
  const projectId = project?.id ?? '';
  const projects = useQuery(projectsQuery).data?.projects ?? [];
  const flags = useQuery({ ...flagsQuery(projectId), enabled: project !== null }).data?.flags ?? [];
  const actions = useActions();
  const pages = project === null ? [] : pagesOf(project);
  const isAtFlags = useMatchRoute()({ to: '/projects/$projectId/flags', params: { projectId } }) !== false;
  // As the page's own button does: the way back from the dialog leads off the page, which asks first.
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
