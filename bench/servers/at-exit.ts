const undone = new Set<() => void>();

process.once('exit', () => {
  for (const undo of undone) undo();
});

/**
 * Registers what must not outlive this process, such as a server that it started.
 *
 * @param undo synchronous, called once when the process exits
 * @returns takes it back, when it has been undone in order
 */
export function atExit(undo: () => void): () => void {
  undone.add(undo);
  return () => {
    undone.delete(undo);
  };
}
