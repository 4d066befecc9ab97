import type { BenchRequest } from '../load/request-list.ts';
import { readAnswer } from './same-answers.ts';

/** A request whose answer is as long as the average answer of its load. */
export interface TypicalAnswer {
  readonly path: string;
  readonly body: Buffer;
}

/**
 * Sends the first requests of a load, to find the answer that a constant server should give to all.
 *
 * @param sample how many requests are sent
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
