import type { FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { isSlug } from '../../domain/project/project-slug.ts';
import { basePath } from '../client/base-path.ts';
import { showMember } from '../client/call.ts';
import { ConsoleError } from '../client/console-error.ts';
import { flagsQuery, projectsQuery, sessionQuery } from '../client/queries.ts';
import { PageError, PageLoading } from '../parts/page-states.tsx';
import { FlagsScreen } from '../screens/flags/flags-screen.tsx';
import { ProjectFrame } from '../shell/project-frame.tsx';
import { Shell } from '../shell/shell.tsx';
import {
  auditSearch,
  flagSearch,
  flagsSearch,
  organisationAuditSearch,
  settingsSearch,
  signInSearch,
} from './searches.ts';

/** On a page without the frame, the page itself is the document's main part. */
const frameless = {
  pendingComponent: () => (
    <main>
      <PageLoading isWindow what="the page" />
    </main>
  ),
  errorComponent: ({ error, reset }: ErrorComponentProps) => (
    <main>
      <PageError isPage error={error} onRetry={reset} />
    </main>
  ),
};

/**
 * Begins to read a page's data before the page is there. The page makes later readings itself. Pointing at a link loads
 * only the code of its page.
 */
function readAtFirst<Key extends QueryKey, Value>(
  client: QueryClient,
  query: FetchQueryOptions<Value, Error, Value, Key>,
  cause: 'preload' | 'enter' | 'stay',
): void {
  if (cause !== 'preload' && client.getQueryState(query.queryKey) === undefined)
    void client.prefetchQuery(query);
}

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()(frameless);

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  ...frameless,
  path: '/sign-in',
  validateSearch: signInSearch,
  // The member has signed out: drop the data that was read for them.
  beforeLoad: ({ context }) => {
    showMember(null);
    context.queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
  },
  component: lazyRouteComponent(() => import('../screens/sign-in/sign-in-screen.tsx'), 'SignInScreen'),
});

const signOutRoute = createRoute({
  getParentRoute: () => rootRoute,
  ...frameless,
  path: '/sign-out',
  component: lazyRouteComponent(() => import('../screens/sign-in/sign-out-screen.tsx'), 'SignOutScreen'),
});

const linkRoute = createRoute({
  getParentRoute: () => rootRoute,
  ...frameless,
  path: '/link',
  component: lazyRouteComponent(() => import('../screens/sign-in/link-screen.tsx'), 'LinkScreen'),
});

/** All pages but those for signing in: within the frame, for signed-in members. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  ...frameless,
  id: 'shell',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (!session.isSignedIn) throw redirect({ to: '/sign-in', search: { back: location.publicHref } });
  },
  loader: ({ context, cause }) => readAtFirst(context.queryClient, projectsQuery, cause),
  component: Shell,
});

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../screens/projects/home-screen.tsx'), 'HomeScreen'),
});

const projectsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/projects',
  component: lazyRouteComponent(() => import('../screens/projects/projects-screen.tsx'), 'ProjectsScreen'),
});

const membersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('../screens/members/members-screen.tsx'), 'MembersScreen'),
});

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('../screens/settings/settings-screen.tsx'), 'SettingsScreen'),
});

const nodesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/nodes',
  component: lazyRouteComponent(() => import('../screens/nodes/nodes-screen.tsx'), 'NodesScreen'),
});

const organisationAuditRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  validateSearch: organisationAuditSearch,
  component: lazyRouteComponent(() => import('../screens/audit/audit-screen.tsx'), 'OrganisationAuditScreen'),
});

const projectRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/projects/$projectId',
  // An address may have a slug. The pages have the id.
  beforeLoad: async ({ context, params: { projectId } }) => {
    if (!isSlug(projectId)) return;
    const { projects } = await context.queryClient.ensureQueryData(projectsQuery);
    const found = projects.find(({ slugs }) => slugs.includes(projectId));
    if (found !== undefined) throw redirect({ to: '.', params: { projectId: found.id }, replace: true });
  },
  component: ProjectFrame,
});

const projectHomeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/projects/$projectId/flags', params, replace: true });
  },
});

const flagsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/flags',
  validateSearch: flagsSearch,
  loader: ({ context, params, cause }) =>
    readAtFirst(context.queryClient, flagsQuery(params.projectId), cause),
  component: FlagsScreen,
});

const flagRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/flags/$flagId',
  validateSearch: flagSearch,
  component: lazyRouteComponent(() => import('../screens/flag/flag-screen.tsx'), 'FlagScreen'),
});

const audiencesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/audiences',
  component: lazyRouteComponent(() => import('../screens/audiences/audiences-screen.tsx'), 'AudiencesScreen'),
});

const audienceRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/audiences/$audienceId',
  component: lazyRouteComponent(() => import('../screens/audiences/audience-screen.tsx'), 'AudienceScreen'),
});

const tokensRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/tokens',
  component: lazyRouteComponent(() => import('../screens/tokens/tokens-screen.tsx'), 'TokensScreen'),
});

const tokenRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/tokens/$tokenId',
  component: lazyRouteComponent(() => import('../screens/tokens/token-screen.tsx'), 'TokenScreen'),
});

const clientsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/clients',
  component: lazyRouteComponent(() => import('../screens/clients/clients-screen.tsx'), 'ClientsScreen'),
});

const environmentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/environments',
  component: lazyRouteComponent(
    () => import('../screens/environments/environments-screen.tsx'),
    'EnvironmentsScreen',
  ),
});

const auditRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../screens/audit/audit-screen.tsx'), 'AuditScreen'),
});

const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../screens/settings/project-settings-screen.tsx'),
    'ProjectSettingsScreen',
  ),
});

const unknownPage = new ConsoleError(404, 'Not found', 'There is no page at this address.', null);

const unknownRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: () => <PageError isPage error={unknownPage} action={<Link to="/">Go to the flags</Link>} />,
});

const projectRoutes = projectRoute.addChildren([
  projectHomeRoute,
  flagsRoute,
  flagRoute,
  audiencesRoute,
  audienceRoute,
  tokensRoute,
  tokenRoute,
  environmentsRoute,
  clientsRoute,
  auditRoute,
  projectSettingsRoute,
]);

const routeTree = rootRoute.addChildren([
  signInRoute,
  signOutRoute,
  linkRoute,
  shellRoute.addChildren([
    homeRoute,
    projectsRoute,
    membersRoute,
    settingsRoute,
    nodesRoute,
    organisationAuditRoute,
    projectRoutes,
    unknownRoute,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: `${basePath}/console`,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: () => <PageLoading what="the page" />,
    defaultErrorComponent: ({ error, reset }) => <PageError isPage error={error} onRetry={reset} />,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
