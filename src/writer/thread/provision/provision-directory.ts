import type { Member } from '../../../domain/member/member.ts';
import type { Organisation } from '../../../domain/organisation/organisation.ts';
import type { Project } from '../../../domain/project/project.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';

/** The existing organisations, members and projects by the names that a file uses. Its maps grow as things are declared. */
export interface ProvisionDirectory {
  readonly organisations: Map<string, Organisation[]>;
  /** By email in lower case. */
  readonly members: Map<string, Member[]>;
  readonly projects: Map<string, Project[]>;
}

export function readDirectory(queries: RecordQueries): ProvisionDirectory {
  return {
    organisations: grouped(queries.organisations(), ({ name }) => name),
    members: grouped(queries.members(), ({ email }) => email.toLowerCase()),
    projects: grouped(queries.projects(), ({ name }) => name),
  };
}

/** Adds a value to those of its key. */
export function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** @returns the values by key, in their order. */
export function grouped<Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => string,
): Map<string, Value[]> {
  const map = new Map<string, Value[]>();
  for (const value of values) addTo(map, keyOf(value), value);
  return map;
}
