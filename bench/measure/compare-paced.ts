import type { Comparison } from '../comparison.ts';
import { runOpenLoop } from '../load/open-loop.ts';
import { meterProcess } from '../load/process-meter.ts';
import type { Bench, ContenderPlan } from '../scenario.ts';
import { apart, ownCore } from './compare-latency.ts';
import { cpuMetric } from './compare-throughput.ts';
import { type AskedContender, contenderOf, type Question } from './question.ts';

/** The load of each thread that answers. */
const perThread = { requestsPerSecond: 5000, connections: 16 } as const;

/** A server. Its `x` is the number of its threads that answer. */
interface PacedContender extends AskedContender {
  readonly pid: number;
  readonly x: number;
}

/** Servers of different sizes, under a load that grows with the size. */
interface PacedQuestion extends Pick<Question, 'title' | 'base'> {
  readonly id: string;
  readonly contenders: readonly PacedContender[];
}

/** Loads each thread at the same modest rate, to show how the cost of a request grows with the number of threads. */
export async function comparePaced(bench: Bench, question: PacedQuestion): Promise<Comparison> {
  const { id, title, base, contenders } = question;
  return await apart(question, async (split) => {
    const core = split === null ? {} : { core: split.generator };
    const comparison = await bench.compare({
      id,
      title,
      base,
      driver: `open loop at ${perThread.requestsPerSecond.toLocaleString('en-GB')} requests a second for each thread`,
      settings: {
        'connections of each thread': perThread.connections,
        'seconds a round': bench.settings.seconds,
      },
      metrics: [cpuMetric],
      contenders: contenders.map((contender) => ({
        ...contenderOf(contender),
        isWarmedUp: true,
        measure: (seconds) => measurePaced(contender, seconds, core),
      })),
    });
    return split === null ? comparison : { ...comparison, remarks: [ownCore] };
  });
}

async function measurePaced(
  { list, pid, x: threads }: PacedContender,
  seconds: number,
  core: { readonly core?: number },
): ReturnType<ContenderPlan['measure']> {
  const used = meterProcess(pid);
  const { answered } = await runOpenLoop({
    ...core,
    list,
    seconds,
    connections: perThread.connections * threads,
    requestsPerSecond: perThread.requestsPerSecond * threads,
  });
  return { figures: { processCpuUs: used().processUs / answered } };
}
