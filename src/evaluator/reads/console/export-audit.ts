import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { ownOrganisation } from '../../../domain/console/own-organisation.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { auditExport, readFormat } from './audit-export.ts';
import { organisationAudit } from './audit-scope.ts';

export const exportAudit: ConsoleRead = (queries, request, principal, { now }) => {
  const problems = new ProblemList();
  const scope = organisationAudit(request, ownOrganisation(principal).id, problems);
  const format = readFormat(request, problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());
  return allow(auditExport(queries, scope, format, now));
};
