/** @returns the message of what was thrown, which may be anything */
export function messageOf(thrown: unknown): string {
  // A connection that fails at each address of its host: Node gives it no message of its own.
  if (thrown instanceof AggregateError && thrown.message === '')
    return thrown.errors.map(messageOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}
