import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import { allow, deny } from '../../../domain/console/console-problem.ts';
import { ownOrganisation } from '../../../domain/console/own-organisation.ts';
import { ProblemList } from '../../../domain/problem-list.ts';
import { auditPage, readCursor } from './audit-page.ts';
import { organisationAudit } from './audit-scope.ts';

export const listAudit: ConsoleRead = (queries, request, principal) => {
  const problems = new ProblemList();
  const scope = organisationAudit(request, ownOrganisation(principal).id, problems);
  const cursor = readCursor(request, problems);
  if (!problems.isEmpty) return deny('invalid-request', problems.detail());
  return allow(auditPage(queries, scope, cursor));
};
