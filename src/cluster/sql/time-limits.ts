/** How long a statement that only reads may take until its connection is given up. */
export const readTimeoutMs = 5000;
/** The same for what an operator's command or upkeep does: beyond PostgreSQL's own limit for a statement, 10 s. */
export const upkeepTimeoutMs = 12_000;
