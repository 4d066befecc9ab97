import { type ApiProblem, problemTable } from './problem-table.ts';

/**
 * @param section of the documentation; the problem's own unless told otherwise
 * @returns a problem as the body of an answer, JSON text: `{error, detail, docs}`, and what the problem adds
 */
export function errorEnvelope(problem: ApiProblem, docsUrl: string, section?: string): string {
  const { title, section: own } = problemTable[problem.code];
  const { extra, detail } = problem;
  return JSON.stringify({ ...extra, error: title, detail, docs: `${docsUrl}#${section ?? own}` });
}
