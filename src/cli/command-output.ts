import { once } from 'node:events';

/** Writes to standard output: results, and nothing else. Resolves when the text has been written. */
export async function printResult(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** Writes a result as one JSON document. */
export function printJson(value: unknown): Promise<void> {
  return printResult(`${JSON.stringify(value)}\n`);
}

/** Writes to standard error: progress, warnings, failures. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}
