import type { MissingContender, ScenarioReport } from '../comparison.ts';
import type { BenchRequest } from '../load/request-list.ts';
import type { Bench, ServerElsewhere } from '../scenario.ts';
import { compareLatency } from './compare-latency.ts';
import { compareThroughput } from './compare-throughput.ts';
import { fastestOf } from './median-of.ts';
import { findOpenLoopRate } from './open-loop-rate.ts';
import type { Question } from './question.ts';

const base = '/health';

const missing: readonly MissingContender[] = [
  {
    name: 'bare',
    why: 'the limit is measured next to a server on the same machine; a server elsewhere is compared with its own /health answer, which no evaluator makes',
  },
  { name: 'server CPU per request', why: 'the process of a server elsewhere cannot be measured from here' },
];

/** The requests of a scenario to a server elsewhere. */
export interface ElsewhereQuestion
  extends Pick<Question, 'title' | 'settings' | 'flagsOfAnswer' | 'remarks'> {
  readonly scenario: string;
  readonly requests: readonly BenchRequest[];
  /** The question, in a sentence. */
  readonly what: string;
  readonly connections: number;
}

/**
 * Compares a scenario's requests with the same server's `/health`: throughput, and latency at half of the rate that
 * both can hold.
 */
export async function askElsewhere(
  bench: Bench,
  { origin }: ServerElsewhere,
  { scenario, requests, what, ...asked }: ElsewhereQuestion,
): Promise<ScenarioReport> {
  const health = { origin, requests: [{ path: base, status: 200 }] };
  const question: Question = {
    ...asked,
    base,
    settings: { server: origin, ...asked.settings },
    contenders: [
      { name: 'burgee', what, list: { origin, requests }, pid: null },
      { name: base, what: "The same server's answer without any evaluation", list: health, pid: null },
    ],
  };
  const throughput = await compareThroughput(bench, question);
  if (!origin.startsWith('http:')) {
    const why = `the generator at a fixed rate speaks plain HTTP only, unlike ${origin}`;
    return {
      scenario,
      comparisons: throughput,
      targets: [],
      missing: [...missing, { name: 'latency', why }],
    };
  }
  const slower = Math.min(fastestOf(throughput, 'burgee'), fastestOf(throughput, base));
  const rate = await findOpenLoopRate(bench, health, asked.connections, slower / 2);
  const latency = await compareLatency(bench, question, rate);
  return { scenario, comparisons: [...throughput, latency], targets: [], missing };
}
