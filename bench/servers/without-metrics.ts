/**
 * Loaded before a server: removes from every thread the counting that a request does for `/metrics`. Timers that fire
 * ten times a second stay, and so does the reading for a scrape.
 */

import { AnswerMeter } from '../../src/observability/answer-meter.ts';
import { EvaluationMeter } from '../../src/worker/evaluation/evaluation-meter.ts';

for (const { prototype } of [AnswerMeter, EvaluationMeter]) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    if (name !== 'constructor') Object.defineProperty(prototype, name, { value: () => undefined });
  }
}
