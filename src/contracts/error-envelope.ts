import { type ApiProblem, problemTable } from './problem-table.ts';

/**
 * @param section of the documentation; by default the problem's own
 * @returns a problem as the body of an answer, JSON text: `{error, detail, docs}`, and the problem's additions
 */
export function errorEnvelope(problem: ApiProblem, docsUrl: string, section?: string): string {
  const { title, section: own } = problemTable[problem.code];
  const { extra, detail } = problem;
  return JSON.stringify({ ...extra, error: title, detail, docs: `${docsUrl}#${section ?? own}` });
}
