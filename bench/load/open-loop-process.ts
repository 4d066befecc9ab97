/** Makes an open loop: one phase to warm up this process, one to measure. */
import { AnswerTally } from './answer-tally.ts';
import { answerLoad } from './load-program.ts';
import type { OpenLoopLoad, OpenLoopResult } from './open-loop.ts';
import { OpenLoopGenerator } from './open-loop-generator.ts';
import type { OpenLoopPhase } from './open-loop-phase.ts';

const warmUpSecondsMax = 0.5;

async function run(load: OpenLoopLoad): Promise<OpenLoopResult> {
  const { list, seconds, requestsPerSecond } = load;
  const tally = new AnswerTally();
  const countIn = (duration: number): number => Math.max(1, Math.round(duration * requestsPerSecond));
  const warmUp = countIn(Math.min(warmUpSecondsMax, seconds / 2));
  const measured = countIn(seconds);
  const generator = new OpenLoopGenerator(load, tally);
  try {
    await generator.connect();
    await generator.run(warmUp, requestsPerSecond);
    const phase = await generator.run(measured, requestsPerSecond);
    const problem = tally.problem(warmUp + measured);
    if (problem !== null) throw new Error(problem);
    return summarise(phase, warmUp + measured);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`open loop of ${requestsPerSecond} requests a second at ${list.origin}: ${message}`);
  } finally {
    generator.close();
  }
}

function summarise(phase: OpenLoopPhase, answered: number): OpenLoopResult {
  const { latencies, lateness } = phase;
  return {
    requests: latencies.count,
    answered,
    requestsPerSecond: phase.answersPerSecond,
    p50Us: latencies.percentileUs(50),
    p90Us: latencies.percentileUs(90),
    p99Us: latencies.percentileUs(99),
    p999Us: latencies.percentileUs(99.9),
    maxUs: latencies.maxUs,
    lateP99Us: lateness.percentileUs(99),
    histogram: latencies.encode(),
  };
}

await answerLoad(run);
