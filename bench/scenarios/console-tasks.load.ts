import { withLifetime } from '../../test/support/lifetime.ts';
import { repositoryRoot } from '../../test/support/repository-root.ts';
import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { tasksScenario, tasksScenarioBefore } from '../report/tasks-section.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { commitOf } from '../servers/checkout.ts';
import { doTask } from '../tasks/do-task.ts';
import { type Device, devices } from '../tasks/effort.ts';
import type { Steps } from '../tasks/hand.ts';
import { steps } from '../tasks/steps.ts';
import { stepsBefore } from '../tasks/steps-before.ts';
import { setTaskStage, type TaskStage } from '../tasks/task-stage.ts';
import { type Task, tasks } from '../tasks/tasks.ts';

/** Clicks and keys are the same in each round; only the time that the browser takes differs. */
const roundsMax = 3;

/** Of a quick run, which shows that the steps still fit the console. */
const quickTasks: ReadonlySet<string> = new Set(['switch-elsewhere', 'undo', 'create']);

const whatDevices: Readonly<Record<Device, string>> = {
  mouse: 'a window of 1440 × 900, by pointer and with typed text',
  keyboard: 'the same window, without a pointer',
  phone: 'a window of 390 × 844, by touch',
};

const metrics = [
  { key: 'clicks', label: 'clicks', better: 'less', digits: 0 },
  { key: 'keys', label: 'keys', better: 'less', digits: 0 },
  { key: 'seconds', label: 'seconds', better: 'less', digits: 1 },
  { key: 'waitedMs', label: 'of these waited, ms', better: 'less', digits: 0 },
] as const;

/** A protected environment asks for a confirmation, which is counted. */
const targets: readonly Target[] = devices.map((device) => ({
  what: `seconds until a flag of another project is off in production, with ${device}`,
  comparison: 'switch-elsewhere',
  metric: 'seconds',
  contender: device,
  of: 'value',
  bound: { atMost: 10 },
}));

interface Console {
  readonly checkout: string;
  readonly steps: Steps;
}

function compareDevices(bench: Bench, shown: Console, task: Task, stage: TaskStage): Promise<Comparison> {
  return bench.compare({
    id: task.id,
    title: task.title,
    driver: 'Chromium, pressed as a person would press it; seconds by the keystroke-level model',
    settings: { 'commit of the console': commitOf(shown.checkout) },
    base: 'mouse',
    metrics,
    rounds: Math.min(roundsMax, bench.settings.rounds),
    contenders: devices.map((device) => ({
      name: device,
      what: whatDevices[device],
      isWarmedUp: false,
      measure: async () => ({ figures: (await doTask(task, shown.steps, stage, device)).figures }),
    })),
  });
}

async function run(bench: Bench): Promise<ScenarioReport> {
  const { checkoutBefore, isQuick } = bench.settings;
  const asked = isQuick ? tasks.filter(({ id }) => quickTasks.has(id)) : tasks;
  const shown =
    checkoutBefore === null
      ? { checkout: repositoryRoot(), steps }
      : { checkout: checkoutBefore, steps: stepsBefore };
  return await withLifetime(async (t) => {
    const stage = await setTaskStage(t, shown.checkout, devices);
    const comparisons: Comparison[] = [];
    for (const task of asked) comparisons.push(await compareDevices(bench, shown, task, stage));
    return {
      scenario: checkoutBefore === null ? tasksScenario : tasksScenarioBefore,
      comparisons,
      targets: checkoutBefore === null ? targets : [],
      missing: [],
    };
  });
}

export const consoleTasksScenario: Scenario = {
  name: tasksScenario,
  summary: 'what people do in the console, by mouse, keyboard and phone: clicks, keys and seconds',
  runsElsewhere: false,
  runsBefore: true,
  run,
};
