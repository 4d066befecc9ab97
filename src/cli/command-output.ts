/** Writes to standard output: results, and nothing else. Resolves when the text has been written, or its reader has ended. */
export function printResult(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

/** Writes a result as one JSON document. */
export function printJson(value: unknown): Promise<void> {
  return printResult(`${JSON.stringify(value)}\n`);
}

/** Writes to standard error: progress, warnings, failures. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}
