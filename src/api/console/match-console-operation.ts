import { type ConsoleOperationId, consolePaths } from '../../contracts/console/console-paths.ts';
import { decodeSegment } from '../path-segment.ts';

/** Where the console's API lies below the base URL. */
export const consoleApiPath = '/console/api';

/** @param path as received */
export function isConsoleApiPath(path: string): boolean {
  return path === consoleApiPath || path.startsWith(`${consoleApiPath}/`);
}

export interface MatchedOperation {
  readonly id: ConsoleOperationId;
  /** Decoded, by their names in the path. */
  readonly params: Readonly<Record<string, string>>;
}

interface OperationPattern {
  readonly id: ConsoleOperationId;
  readonly method: string;
  readonly segments: readonly string[];
}

const patterns: readonly OperationPattern[] = (Object.keys(consolePaths) as ConsoleOperationId[])
  .map((id) => ({ id, method: consolePaths[id].method, segments: consolePaths[id].path.split('/').slice(1) }))
  // A named segment before an open one: `/audit/export` is no `{id}` of `/audit`.
  .sort((left, right) => openSegments(left) - openSegments(right));

function isOpen(segment: string): boolean {
  return segment.startsWith('{');
}

function openSegments({ segments }: OperationPattern): number {
  return segments.filter(isOpen).length;
}

/**
 * @param method in lower case
 * @param path as received, undecoded; it begins with `/console/api`
 * @returns null when no operation has this method and path
 */
export function matchConsoleOperation(method: string, path: string): MatchedOperation | null {
  const sent = path.slice(consoleApiPath.length).split('/').slice(1);
  for (const pattern of patterns) {
    if (pattern.method !== method || pattern.segments.length !== sent.length) continue;
    const params = matchSegments(pattern.segments, sent);
    if (params !== null) return { id: pattern.id, params };
  }
  return null;
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
