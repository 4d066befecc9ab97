/**
 * The names under which requests are counted: a closed list for all paths. `management-other` is every path and method
 * of the Management API that is not an endpoint, and its preflights; `evaluation-other`, `ofrep-other` and `console-other` likewise. The
 * console's operations are counted by their cost: reads, changes, sign-in and sessions, open event streams, pages.
 */
const namesByApi = {
  evaluation: ['evaluate-flag', 'evaluate-project', 'evaluation-other'],
  ofrep: ['ofrep-flag', 'ofrep-flags', 'ofrep-events', 'ofrep-other'],
  management: ['read-token', 'list-flags', 'read-flag', 'create-flag', 'patch-flag', 'management-other'],
  console: [
    'console-read',
    'console-change',
    'console-session',
    'console-events',
    'console-other',
    'console-page',
  ],
  sync: ['sync-snapshot', 'sync-stream', 'sync-usage', 'sync-other'],
  service: ['health', 'docs', 'other'],
} as const;

export type RouteName = (typeof namesByApi)[keyof typeof namesByApi][number];

export const countedRoutes = Object.entries(namesByApi).flatMap(([api, routes]) =>
  routes.map((route: RouteName) => ({ api, route })),
);

const indexes = new Map(countedRoutes.map(({ route }, index) => [route, index]));

/** @returns the route's index in `countedRoutes` */
export function routeIndex(name: RouteName): number {
  return indexes.get(name) as number;
}
