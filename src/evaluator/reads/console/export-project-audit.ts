import type { ProjectRead } from '../../../contracts/console/console-handler.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { auditExport, readFormat } from './audit-export.ts';
import { projectAudit } from './audit-scope.ts';

export const exportProjectAudit: ProjectRead = (queries, request, principal, { now }) => {
  const problems = new ProblemList();
  const scope = projectAudit(request, principal, problems);
  const format = readFormat(request, problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());
  return allow(auditExport(queries, scope, format, now));
};
