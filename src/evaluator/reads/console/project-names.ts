import type { RecordQueries } from '../../../domain/record-queries.ts';

/** @returns what looks up a project's present name, once for each project; null for none and for one that is gone. */
export function projectNames(queries: RecordQueries): (projectId: string | null) => string | null {
  const known = new Map<string, string | null>();
  return (projectId) => {
    if (projectId === null) return null;
    const found = known.get(projectId);
    if (found !== undefined) return found;
    const name = queries.project(projectId)?.name ?? null;
    known.set(projectId, name);
    return name;
  };
}
