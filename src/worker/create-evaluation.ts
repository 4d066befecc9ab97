import { Reads } from '../operations/reads.ts';
import type { StoreReader } from '../storage/store-reader.ts';
import type { FlagAnswer } from './answers/flag-evaluation.ts';
import { LongAnswers, type TakeLongAnswer } from './answers/long-answers.ts';
import type { ProjectAnswerParts } from './answers/project-evaluation.ts';
import type { Attachment } from './attachment.ts';
import { ProjectEvaluator } from './evaluation/evaluate-project.ts';
import { EvaluationMeter } from './evaluation/evaluation-meter.ts';
import type { StepKind } from './evaluation/evaluation-metrics-protocol.ts';
import { EvaluationTallies } from './evaluation/evaluation-tallies.ts';
import { FlagEvaluator } from './evaluation/flag-evaluator.ts';
import { FlagSource } from './evaluation/flag-source.ts';
import type { WorkerSetup } from './worker-protocol.ts';

/** The parts of a worker that read the store. */
export interface Evaluation {
  readonly meter: EvaluationMeter;
  readonly tallies: EvaluationTallies;
  readonly source: FlagSource;
  readonly longAnswers: LongAnswers;
  readonly reads: Reads;
  readonly flagAnswer: FlagAnswer;
  readonly project: ProjectAnswerParts;
}

/** Puts them together. @param hooks what they ask of the worker's connections */
export function createEvaluation(
  setup: WorkerSetup,
  reader: StoreReader,
  attachment: Attachment,
  take: TakeLongAnswer,
  hooks: Pick<ProjectAnswerParts, 'addressOf' | 'onFault'>,
): Evaluation {
  const { docsUrl, tokenPrefixesAccepted: acceptedPrefixes } = setup;
  const meter = new EvaluationMeter(setup.evaluationMetrics);
  const tallies = new EvaluationTallies();
  const stepOf = (kind: StepKind) => (ms: number) => meter.observeStep(kind, ms);
  const source = new FlagSource(reader, setup.storeVersion, setup.cacheBytes, meter);
  const deadlineMs = setup.requestDeadlineMs;
  const longAnswers = new LongAnswers({
    deadlineMs,
    onStep: stepOf('answer'),
    take,
    onRefused: () => meter.countRefusedLongAnswer(),
  });
  const operations = { ...setup.console, acceptedPrefixes };
  const evaluator = new FlagEvaluator(source, docsUrl, meter, tallies);
  const projects = new ProjectEvaluator(source, reader, docsUrl, { meter, tallies });
  const flagAnswer = attachment.flagAnswer({ source, evaluator, meter, docsUrl });
  return {
    meter,
    tallies,
    source,
    longAnswers,
    reads: new Reads(reader, source, operations, stepOf('read')),
    flagAnswer,
    project: { evaluator: projects, longAnswers, docsUrl, ...hooks },
  };
}
