/** Timeout of a statement that only reads. */
export const readTimeoutMs = 5000;
/** Timeout of an operator's command or of upkeep: more than PostgreSQL's own limit for a statement, 10 s. */
export const upkeepTimeoutMs = 12_000;
