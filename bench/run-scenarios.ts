import type { ResultFile, RunFacts } from './comparison.ts';
import type { RunCommand } from './options.ts';
import type { Progress } from './report/progress.ts';
import { runComparison } from './run-comparison.ts';
import type { Bench, BenchSettings, Scenario } from './scenario.ts';

/** A scenario that failed. */
export interface Failure {
  readonly scenario: string;
  readonly message: string;
}

export interface RunOutcome {
  readonly results: readonly ResultFile[];
  readonly failures: readonly Failure[];
}

export interface RunContext {
  readonly facts: Omit<RunFacts, 'command' | 'at'>;
  readonly elsewhere: BenchSettings['elsewhere'];
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Called when a scenario has ended. */
  onResult(result: ResultFile): void;
}

function benchFor({ settings }: RunCommand, { elsewhere, signal, progress }: RunContext): Bench {
  return {
    settings: { ...settings, elsewhere },
    compare: (plan) =>
      runComparison(plan, {
        settings,
        signal,
        onStep: (step) => progress.step(step, settings.seconds),
      }),
    note: (text) => {
      signal.throwIfAborted();
      progress.note(text);
    },
  };
}

async function runOne(scenario: Scenario, command: RunCommand, context: RunContext): Promise<ResultFile> {
  const at = new Date().toISOString();
  const report = await scenario.run(benchFor(command, context));
  const repeated = `npm run bench -- ${scenario.name} ${command.repeatOptions}`.trimEnd();
  return { format: 1, run: { at, ...context.facts, command: repeated }, report };
}

/** Runs scenarios one after another. A failure is reported, and the others still run. */
export async function runScenarios(command: RunCommand, context: RunContext): Promise<RunOutcome> {
  const results: ResultFile[] = [];
  const failures: Failure[] = [];
  const { scenarios } = command;
  for (const [index, scenario] of scenarios.entries()) {
    if (context.signal.aborted) break;
    context.progress.beginScenario(scenario.name, index + 1, scenarios.length);
    try {
      const result = await runOne(scenario, command, context);
      if (context.signal.aborted) break;
      results.push(result);
      context.onResult(result);
    } catch (fault) {
      if (context.signal.aborted) break;
      failures.push({
        scenario: scenario.name,
        message: fault instanceof Error ? fault.message : String(fault),
      });
    } finally {
      context.progress.clear();
    }
  }
  return { results, failures };
}
