import { errorEnvelope } from '../../contracts/error-envelope.ts';
import { problemTable } from '../../contracts/problem-table.ts';
import type { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { describeQueryFault, type QueryFault } from '../../domain/evaluation/query-fault.ts';
import type { Problem, ProblemCode } from '../../domain/problem.ts';
import { hasRawCharacter } from '../../support/query-string.ts';
import type { RefusalReason } from './evaluation-metrics-protocol.ts';

/** A refusal of an evaluation, ready to send. */
export interface EvaluationRefusal {
  readonly status: number;
  readonly body: string;
  /** The reason under which it is counted. */
  readonly reason: RefusalReason;
}

function encodeRefusal(problem: Problem, reason: RefusalReason, docsUrl: string): EvaluationRefusal {
  const { status } = problemTable[problem.code];
  return { status, body: errorEnvelope(problem, docsUrl), reason };
}

const details = {
  'no-flag': ['not-found', 'not-found', 'No flag with this id exists.'],
  'no-project': ['not-found', 'not-found', 'No project with this id exists.'],
  'access-off': [
    'evaluation-access-off',
    'access-off',
    'Evaluation API access is switched off for this project, so its flags cannot be evaluated.',
  ],
  'no-environment': [
    'not-found',
    'no-environment',
    'This flag has a state for each environment, and "env" is missing or is not the name of one. Send env=NAME with the name of one of the project\'s environments.',
  ],
} as const satisfies Record<string, readonly [ProblemCode, RefusalReason, string]>;

export type FixedRefusal = keyof typeof details;

/** The refusals of the Evaluation API. Those with a fixed text are encoded once. */
export class EvaluationRefusals {
  readonly #docsUrl: string;
  readonly #fixed: Readonly<Record<FixedRefusal, EvaluationRefusal>>;

  constructor(docsUrl: string) {
    this.#docsUrl = docsUrl;
    const encode = (name: FixedRefusal): EvaluationRefusal => {
      const [code, reason, detail] = details[name];
      return encodeRefusal({ code, detail }, reason, docsUrl);
    };
    this.#fixed = {
      'no-flag': encode('no-flag'),
      'no-project': encode('no-project'),
      'access-off': encode('access-off'),
      'no-environment': encode('no-environment'),
    };
  }

  fixed(name: FixedRefusal): EvaluationRefusal {
    return this.#fixed[name];
  }

  /** A raw character is reported before any other fault. */
  queryFault(fault: QueryFault, query: string, context: EvaluationContext): EvaluationRefusal {
    const detail = hasRawCharacter(query)
      ? describeQueryFault('raw-character', 'query string')
      : describeQueryFault(fault, context.faultyParameter);
    return encodeRefusal({ code: 'invalid-request', detail }, 'invalid-request', this.#docsUrl);
  }

  internalError(): EvaluationRefusal {
    const detail =
      'The evaluation failed unexpectedly. Retry; if it persists, look at the log of the service.';
    return encodeRefusal({ code: 'internal-error', detail }, 'failed', this.#docsUrl);
  }
}
