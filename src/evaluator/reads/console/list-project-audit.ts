import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { auditPage, readCursor } from './audit-page.ts';
import { projectAudit } from './audit-scope.ts';

/** With `flag` it is the flag's history. */
export const listProjectAudit: ProjectRead = (queries, request, principal) => {
  const problems = new ProblemList();
  const scope = projectAudit(request, principal, problems);
  const cursor = readCursor(request, problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());
  return allow(auditPage(queries, scope, cursor));
};
