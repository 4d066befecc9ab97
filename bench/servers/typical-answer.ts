import type { BenchRequest } from '../load/request-list.ts';
import { readAnswer } from './same-answers.ts';

/** A request that is answered with as many bytes as its load's answers are long on average. */
export interface TypicalAnswer {
  readonly path: string;
  readonly body: Buffer;
}

/**
 * Asks the first requests of a load for the answer that a constant server may give in place of them all.
 *
 * @param sample how many are asked
 * @throws Error when none is answered 200
 */
export async function findTypicalAnswer(
  origin: string,
  requests: readonly BenchRequest[],
  sample: number,
): Promise<TypicalAnswer> {
  const asked = requests.slice(0, sample);
  const good: TypicalAnswer[] = [];
  let bytes = 0;
  for (const { path } of asked) {
    const { status, body } = await readAnswer(origin, path);
    bytes += body.length;
    if (status === 200) good.push({ path, body });
  }
  const mean = bytes / asked.length;
  const distance = ({ body }: TypicalAnswer): number => Math.abs(body.length - mean);
  const [first, ...others] = good;
  if (first === undefined) throw new Error(`none of ${asked.length} requests to ${origin} is answered 200`);
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
}
