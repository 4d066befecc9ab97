/** Warnings that are remembered, so that each is given once. */
const rememberedMax = 100;
const given = new Set<string>();

/** Emits a process warning, once for each message, about a problem that only a person can fix. */
export function warn(message: string): void {
  if (given.has(message) || given.size >= rememberedMax) return;
  given.add(message);
  process.emitWarning(`burgee-client: ${message}`, 'BurgeeWarning');
}
