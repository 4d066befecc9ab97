/** Short, because channels of notifications are named after it and a node's id, and have 63 bytes. */
const pattern = /^[a-z_][a-z0-9_]{0,29}$/;

/**
 * @param name of the schema that has a cluster's tables: several clusters may live in one database
 * @returns it as an identifier of SQL
 * @throws Error when it is not a name that this service takes, with what it takes
 */
export function schemaIdentifier(name: string): string {
  if (!pattern.test(name) || name.startsWith('pg_'))
    throw new Error(
      `"${name}" is not a schema's name: BURGEE_CLUSTER_SCHEMA takes 1 to 30 characters of a-z, 0-9 and _, neither a digit nor pg_ first`,
    );
  return `"${name}"`;
}

/** @param identifier as `schemaIdentifier` gives it. @returns the channel on which commits are told */
export function commitChannel(identifier: string): string {
  return identifier.slice(1, -1);
}

/** @returns the channel on which a node is told how far the others are. No schema has a colon in its name. */
export function reportChannel(identifier: string, node: string): string {
  return `${commitChannel(identifier)}:${node}`;
}
