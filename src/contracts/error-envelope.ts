import type { Problem } from '../domain/problem.ts';
import { problemTable } from './problem-table.ts';

/** @returns a problem as the body of an answer, JSON text; its shape is `errorEnvelopeSchema`. */
export function errorEnvelope(problem: Problem, docsUrl: string): string {
  const { title, section } = problemTable[problem.code];
  return JSON.stringify({ error: title, detail: problem.detail, docs: `${docsUrl}#${section}` });
}
