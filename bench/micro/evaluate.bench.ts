import type { CompiledFlag } from '../../src/domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../src/domain/evaluation/evaluation-context.ts';
import { isOn } from '../../src/domain/evaluation/evaluation-reason.ts';
import { type MicroBench, overEach } from './micro-bench.ts';
import { compileSamples, sampleQueries } from './micro-samples.ts';

interface Question {
  readonly flag: CompiledFlag;
  readonly query: string;
}

function sampleQuestions(): readonly Question[] {
  return compileSamples().map((flag, index) => ({ flag, query: sampleQueries[index] as string }));
}

/** Never asked by the samples: each has a bucketing key. */
function noRoll(): number {
  throw new Error('a sample question has no bucketing key');
}

function evaluate(flag: CompiledFlag, context: EvaluationContext): number {
  const state = selectState(flag, context);
  if (state === null) throw new Error('a sample flag has no state');
  return isOn(evaluateFlag(flag, state, context, noRoll)) ? 1 : 0;
}

function decoded(query: string): EvaluationContext {
  const context = new EvaluationContext();
  if (context.decode(query) !== null) throw new Error('a sample query has a fault');
  return context;
}

/** Claim: one core makes at least 3 million evaluations a second, even with the decoding of their query strings. */
export const evaluateBench: MicroBench = {
  name: 'evaluate',
  title: '1,000 flags at 50 %, some with cohorts or an audience, each asked with a query string of its own',
  operation: 'evaluations',
  base: 'decode and evaluate',
  contenders: {
    'decode and evaluate': {
      what: 'everything that the domain does for a request: a query string in, on or off out',
      prepare: () => {
        const context = new EvaluationContext();
        return overEach(sampleQuestions(), ({ flag, query }) => {
          if (context.decode(query) !== null) throw new Error('a sample query has a fault');
          return evaluate(flag, context);
        });
      },
    },
    evaluateFlag: {
      what: 'the rules alone, the context being decoded',
      prepare: () => {
        const questions = sampleQuestions().map(({ flag, query }) => ({ flag, context: decoded(query) }));
        return overEach(questions, ({ flag, context }) => evaluate(flag, context));
      },
    },
  },
  claims: [
    {
      what: 'evaluations a second on one core',
      contender: 'evaluateFlag',
      of: 'value',
      atLeast: 3_000_000,
    },
    {
      what: 'evaluations a second on one core, with the decoding of their queries',
      contender: 'decode and evaluate',
      of: 'value',
      atLeast: 3_000_000,
    },
  ],
};
