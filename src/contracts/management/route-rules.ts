import type { Permission } from '../../domain/token/token.ts';
import type { ManagementRoute } from './management-call.ts';

interface RouteRule {
  /** As denials and logs name it. */
  readonly label: string;
  readonly permission: Permission;
}

export const routeRules: Readonly<Record<ManagementRoute, RouteRule>> = {
  'read-token': { label: 'GET /api/v1/token', permission: 'read' },
  'list-flags': { label: 'GET /api/v1/flags', permission: 'read' },
  'read-flag': { label: 'GET /api/v1/flags/{id}', permission: 'read' },
  'create-flag': { label: 'POST /api/v1/flags', permission: 'write' },
  'patch-flag': { label: 'PATCH /api/v1/flags/{id}', permission: 'write' },
};

/** @param route null: no such endpoint. */
export function routeLabel(route: ManagementRoute | null): string {
  return route === null ? 'unknown endpoint' : routeRules[route].label;
}
