import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const program = fileURLToPath(new URL('./micro-process.js', import.meta.url));

export interface MicroFigures {
  readonly operationsPerSecond: number;
  readonly nsPerOperation: number;
}

/** Runs one contender of a bench in a process of its own: what one of them did to the heap or the compiler, no other feels. */
export async function measureMicro(bench: string, contender: string, seconds: number): Promise<MicroFigures> {
  const { stdout } = await run(process.execPath, [program, bench, contender, String(seconds)]);
  const { nsPerOperation } = JSON.parse(stdout) as { readonly nsPerOperation: number };
  return { operationsPerSecond: 1e9 / nsPerOperation, nsPerOperation };
}
