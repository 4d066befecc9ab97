const undone = new Set<() => void>();

process.once('exit', () => {
  for (const undo of undone) undo();
});

/**
 * Registers the clean-up of something that must not outlive this process, such as a server that it started.
 *
 * @param undo synchronous, called once when the process exits
 * @returns a function that withdraws the registration, for use after a normal clean-up
 */
export function atExit(undo: () => void): () => void {
  undone.add(undo);
  return () => {
    undone.delete(undo);
  };
}
