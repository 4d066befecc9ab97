import { fileURLToPath } from 'node:url';
import { runProgram } from '../servers/run-program.ts';

const program = fileURLToPath(new URL('./micro-process.js', import.meta.url));

export interface MicroFigures {
  readonly operationsPerSecond: number;
  readonly nsPerOperation: number;
}

/** Runs one contender of a bench in its own process, so that its effects on heap and compiler reach no other contender. */
export async function measureMicro(bench: string, contender: string, seconds: number): Promise<MicroFigures> {
  const stdout = await runProgram(program, [bench, contender, String(seconds)]);
  const { nsPerOperation } = JSON.parse(stdout) as { readonly nsPerOperation: number };
  return { operationsPerSecond: 1e9 / nsPerOperation, nsPerOperation };
}
