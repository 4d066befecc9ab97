/**
 * Measures one contender in a process of its own. Arguments: the URL of its module, the number of users, the seconds.
 * Prints its figures as a line of JSON.
 */
import { checkShare } from './check-half.ts';
import type { Evaluate, EvaluationFigures, EvaluatorModule } from './evaluator.ts';

/** Evaluations between two readings of the clock. */
const batch = 1000;

const [url = '', users = '', seconds = ''] = process.argv.slice(2);
const userIds = Array.from({ length: Number(users) }, (_unused, user) => `user-${user}`);
const { prepare, isAsync = false } = (await import(url)) as EvaluatorModule;
const evaluate = await prepare(userIds);
await checkAnswers(evaluate);
const figures = isAsync
  ? await measureLater(evaluate, Number(seconds))
  : measure(evaluate as Evaluate, Number(seconds));
process.stdout.write(JSON.stringify(figures), () => process.exit(0));

/** Evaluates every user twice, which also warms the contender up. */
async function checkAnswers(evaluated: (index: number) => boolean | Promise<boolean>): Promise<void> {
  const first: boolean[] = [];
  for (const index of userIds.keys()) first.push(await evaluated(index));
  let changed = 0;
  for (const [index, isOn] of first.entries()) if ((await evaluated(index)) !== isOn) changed += 1;
  if (changed > 0) throw new Error(`${changed} of ${users} users got another answer when asked again`);
  checkShare(url, first.filter(Boolean).length, userIds.length);
}

function measure(evaluated: Evaluate, forSeconds: number): EvaluationFigures {
  let [index, evaluations, on] = [0, 0, 0];
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let tookMs = 0;
  do {
    for (let count = 0; count < batch; count += 1) {
      if (evaluated(index)) on += 1;
      index = index + 1 === userIds.length ? 0 : index + 1;
    }
    evaluations += batch;
    tookMs = performance.now() - startedAt;
  } while (tookMs < forSeconds * 1000);
  return figuresOf(evaluations, tookMs, process.cpuUsage(cpuBefore), on);
}

/** The same loop, which waits for each answer: a wait would cost the others more than they do. */
async function measureLater(
  evaluated: (index: number) => boolean | Promise<boolean>,
  forSeconds: number,
): Promise<EvaluationFigures> {
  let [index, evaluations, on] = [0, 0, 0];
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let tookMs = 0;
  do {
    for (let count = 0; count < batch; count += 1) {
      if (await evaluated(index)) on += 1;
      index = index + 1 === userIds.length ? 0 : index + 1;
    }
    evaluations += batch;
    tookMs = performance.now() - startedAt;
  } while (tookMs < forSeconds * 1000);
  return figuresOf(evaluations, tookMs, process.cpuUsage(cpuBefore), on);
}

function figuresOf(evaluations: number, tookMs: number, cpu: NodeJS.CpuUsage, on: number): EvaluationFigures {
  // Uses the answers, so that the compiler cannot drop the evaluations.
  if (on === 0) throw new Error('the flag was on for no user');
  return {
    evaluationsPerSecond: (evaluations / tookMs) * 1000,
    cpuNs: ((cpu.user + cpu.system) * 1000) / evaluations,
  };
}
