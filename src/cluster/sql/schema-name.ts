/** Short, because names of notification channels, at most 63 bytes, contain it and a node's id. */
const pattern = /^[a-z_][a-z0-9_]{0,29}$/;

/**
 * @param name of the schema with a cluster's tables
 * @returns it as an SQL identifier
 * @throws Error with the rule when the name is not allowed
 */
export function schemaIdentifier(name: string): string {
  if (!pattern.test(name) || name.startsWith('pg_'))
    throw new Error(
      `"${name}" is not a schema's name: BURGEE_CLUSTER_SCHEMA takes 1 to 30 characters of a-z, 0-9 and _, neither a digit nor pg_ first`,
    );
  return `"${name}"`;
}

/**
 * @param identifier from `schemaIdentifier`
 * @returns the notification channel of commits
 */
export function commitChannel(identifier: string): string {
  return identifier.slice(1, -1);
}

/** @returns the channel of reports to a node. Schema names have no colon. */
export function reportChannel(identifier: string, node: string): string {
  return `${commitChannel(identifier)}:${node}`;
}
