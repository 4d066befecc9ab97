import { decodeSegment } from '../support/path-segment.ts';

/** The path of the console's API below the base URL. */
export const consoleApiPath = '/console/api';
/** The path of the Management API below the base URL. */
export const managementApiPath = '/api/v1';

/** The operation of a method and path. */
export interface MatchedRoute<Operation> {
  readonly operation: Operation;
  /** Decoded, by their names in the path. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * @param method in lower case
 * @param path as received, undecoded
 * @returns null when no operation has this method and path
 */
export type MatchRoute<Operation> = (method: string, path: string) => MatchedRoute<Operation> | null;

interface Pattern<Operation> {
  readonly operation: Operation;
  readonly method: string;
  readonly segments: readonly string[];
}

/** @param operations with method and path below `base`, in which `{name}` is a parameter */
export function createRouter<Operation extends { readonly route: string | null }>(
  operations: readonly Operation[],
  base: string,
): MatchRoute<Operation> {
  const patterns = operations
    .map((operation): Pattern<Operation> => {
      const [method = '', path = ''] = (operation.route ?? '').split(' ');
      return { operation, method: method.toLowerCase(), segments: path.split('/').slice(1) };
    })
    // A named segment is tried before an open one: in `/audit/export`, `export` is not an `{id}`.
    .sort((left, right) => openSegments(left) - openSegments(right));
  return (method, path) => {
    const sent = path.slice(base.length).split('/').slice(1);
    for (const pattern of patterns) {
      if (pattern.method !== method || pattern.segments.length !== sent.length) continue;
      const params = matchSegments(pattern.segments, sent);
      if (params !== null) return { operation: pattern.operation, params };
    }
    return null;
  };
}

/** @param path as received @param base of an API */
export function isBelow(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

function isOpen(segment: string): boolean {
  return segment.startsWith('{');
}

function openSegments({ segments }: Pattern<unknown>): number {
  return segments.filter(isOpen).length;
}

function matchSegments(
  segments: readonly string[],
  sent: readonly string[],
): Readonly<Record<string, string>> | null {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = sent[index] ?? '';
    if (!isOpen(segment)) {
      if (segment !== text) return null;
    } else {
      if (text === '') return null;
      params[segment.slice(1, -1)] = decodeSegment(text);
    }
  }
  return params;
}
