import { fileURLToPath } from 'node:url';
import { runProgram } from '../servers/run-program.ts';
import type { EvaluationFigures } from './evaluator.ts';

const program = fileURLToPath(new URL('./evaluation-program.js', import.meta.url));
/** Time for loading, preparing and checking the answers. */
const preparationTimeoutMs = 60_000;

/**
 * Evaluates the flag `half` for these users repeatedly, in a process of its own.
 *
 * @param moduleUrl of a contender's `EvaluatorModule`
 * @throws Error when the flag is not on for about half of them, or an answer changes
 */
export async function measureEvaluations(
  moduleUrl: string,
  users: number,
  seconds: number,
): Promise<EvaluationFigures> {
  const stdout = await runProgram(program, [moduleUrl, String(users), String(seconds)], {
    timeout: seconds * 1000 + preparationTimeoutMs,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return JSON.parse(stdout) as EvaluationFigures;
}
