/**
 * Loaded before a server: nothing counts for `/metrics` on the way of a request, in any thread. What is left are timers
 * that come ten times a second, and what is read when somebody scrapes.
 */

import { AnswerMeter } from '../../src/observability/answer-meter.ts';
import { EvaluationMeter } from '../../src/worker/evaluation/evaluation-meter.ts';

for (const { prototype } of [AnswerMeter, EvaluationMeter]) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name !== 'constructor') Object.defineProperty(prototype, name, { value: () => undefined });
  }
}
