import { Reads } from '../operations/reads.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import type { AwaitFlagParts } from './answers/evaluation-wait.ts';
import type { FlagAnswer } from './answers/flag-evaluation.ts';
import { LongAnswers } from './answers/long-answers.ts';
import type { ProjectAnswerParts } from './answers/project-evaluation.ts';
import type { Attachment } from './attachment.ts';
import { BetweenEvents } from './between-events.ts';
import { ProjectEvaluator } from './evaluation/evaluate-project.ts';
import { EvaluationMeter } from './evaluation/evaluation-meter.ts';
import type { StepKind } from './evaluation/evaluation-metrics-protocol.ts';
import { EvaluationTallies } from './evaluation/evaluation-tallies.ts';
import { FlagEvaluator } from './evaluation/flag-evaluator.ts';
import { FlagSource } from './evaluation/flag-source.ts';
import { budgetOf, longAnswerRoom } from './limits/process-budgets.ts';
import type { WorkerSetup } from './worker-protocol.ts';

/** The parts of a worker that read the store. */
export interface Evaluation {
  readonly meter: EvaluationMeter;
  readonly tallies: EvaluationTallies;
  readonly source: FlagSource;
  readonly longAnswers: LongAnswers;
  readonly reads: Reads;
  readonly flagAnswer: FlagAnswer;
  readonly awaitFlag: AwaitFlagParts;
  readonly project: ProjectAnswerParts;
}

/** Puts them together. @param hooks what they ask of the worker's connections */
export function createEvaluation(
  setup: WorkerSetup,
  reader: StoreReader,
  attachment: Attachment,
  hooks: Pick<ProjectAnswerParts, 'addressOf' | 'onFault'>,
): Evaluation {
  const { docsUrl, tokenPrefixesAccepted } = setup;
  const meter = new EvaluationMeter(setup.evaluationMetrics);
  const tallies = new EvaluationTallies();
  const stepOf = (kind: StepKind) => (ms: number) => meter.observeStep(kind, ms);
  const room = longAnswerRoom(setup);
  const between = new BetweenEvents((budgetMs) => source.runSlice(budgetMs), stepOf('load'));
  const onWork = (): void => between.schedule();
  const sourceHooks = { onWork, pins: room.snapshots };
  const source = new FlagSource(reader, setup.storeVersion, setup.cacheBytes, meter, sourceHooks);
  const deadlineMs = setup.requestDeadlineMs;
  const longAnswers = new LongAnswers({
    deadlineMs,
    onStep: stepOf('answer'),
    room,
    onRefused: (share) => meter.countRefusedLongAnswer(share),
    onDisplaced: () => meter.countDisplacedLongAnswer(),
  });
  const readOptions = { docsUrl, console: setup.console, tokenPrefixesAccepted, onStep: stepOf('read') };
  const evaluator = new FlagEvaluator(source, docsUrl, meter, tallies);
  const projects = new ProjectEvaluator(source, reader, docsUrl, { meter, tallies }, room.snapshots);
  const flagAnswer = attachment.flagAnswer({ source, evaluator, meter, docsUrl });
  const waiting = budgetOf(setup, 'waitingEvaluations', Number.MAX_SAFE_INTEGER);
  return {
    meter,
    tallies,
    source,
    longAnswers,
    reads: new Reads(reader, source, readOptions),
    flagAnswer,
    awaitFlag: { source, flagAnswer, meter, waiting, deadlineMs, docsUrl, ...hooks },
    project: { evaluator: projects, longAnswers, docsUrl, ...hooks },
  };
}
