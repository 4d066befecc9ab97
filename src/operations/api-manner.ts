import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { ApiProblem } from '../contracts/problem-table.ts';
import type { HeaderBlock } from '../http/header-block.ts';
import { type AnswerFields, consoleHeaders, managementHeaders, syncHeaders } from './answer-headers.ts';
import type { ApiName } from './call.ts';

/** The parts of an answer that differ between the two APIs. */
export interface ApiManner {
  readonly name: ApiName;
  headers(requestId: string, status: number, fields: AnswerFields): HeaderBlock;
  /** @returns a problem as the body of an answer, JSON text */
  envelope(problem: ApiProblem): string;
  /** What a client should do when it is not known whether its change was applied. */
  readonly mayBeApplied: string;
}

export function managementManner(docsUrl: string): ApiManner {
  return {
    name: 'management',
    headers: managementHeaders,
    envelope: (problem) => errorEnvelope(problem, docsUrl),
    mayBeApplied:
      'The service stopped, or waited for its cluster too long, while the change was on its way. It may have been applied: read the flag before you retry.',
  };
}

export function syncManner(docsUrl: string): ApiManner {
  return {
    name: 'sync',
    headers: syncHeaders,
    envelope: (problem) => errorEnvelope(problem, docsUrl),
    mayBeApplied: 'The service stopped while the report was on its way. Send it again with the same id.',
  };
}

export function consoleManner(docsUrl: string): ApiManner {
  return {
    name: 'console',
    headers: consoleHeaders,
    envelope: (problem) => errorEnvelope(problem, docsUrl, 'console'),
    mayBeApplied:
      'The service stopped, or waited for its cluster too long, while the change was on its way. It may have been applied: check before you repeat it.',
  };
}
