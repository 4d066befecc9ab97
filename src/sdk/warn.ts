/** Warnings that are remembered, so that each is given once. */
const rememberedMax = 100;
const given = new Set<string>();

/** Tells the process's owner of what only a person can mend, once: `process.on('warning')` hears it. */
export function warn(message: string): void {
  if (given.has(message) || given.size >= rememberedMax) return;
  given.add(message);
  process.emitWarning(`burgee-client: ${message}`, 'BurgeeWarning');
}
