import { auditPageSchema } from '../../contracts/console/audit-views.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { consoleRead, inProject } from '../operation.ts';
import { auditPage, readCursor } from './audit-page.ts';
import { auditQuery, projectAudit } from './audit-scope.ts';

/** With `flag`, the flag's history. */
export const listProjectAudit = consoleRead('list-project-audit', {
  route: 'GET /projects/{projectId}/audit',
  inPieces: true,
  access: inProject('viewer'),
  query: [...auditQuery, 'cursor'],
  answer: auditPageSchema,
  run: (queries, request, principal) => {
    const problems = new ProblemList();
    const scope = projectAudit(request, principal, problems);
    const cursor = readCursor(request, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return succeed(auditPage(queries, scope, cursor));
  },
});
