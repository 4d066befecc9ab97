import type { BenchRequest } from '../../load/request-list.ts';
import { askedFlag, rule } from './rule-question.ts';

/** A request of the OpenFeature Remote Evaluation Protocol. */
export function ofrepRequest(user: string, attribute: string): BenchRequest {
  const context = { targetingKey: user, [rule.attribute]: attribute };
  return {
    method: 'POST',
    path: `/ofrep/v1/evaluate/flags/${askedFlag}`,
    body: JSON.stringify({ context }),
    status: 200,
  };
}

/** @returns whether an answer of that protocol says that the flag is on */
export function isOfrepOn(body: string): boolean {
  return (JSON.parse(body) as { readonly value: unknown }).value === true;
}
