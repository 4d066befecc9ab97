import { auditPageSchema } from '../../contracts/console/audit-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { consoleRead, inOrganisation } from '../operation.ts';
import { auditPage, readCursor } from './audit-page.ts';
import { auditQuery, organisationAudit } from './audit-scope.ts';

/** The whole organisation's entries. Times are Unix milliseconds, `from` included and `to` excluded. */
export const listAudit = consoleRead('list-audit', {
  route: 'GET /audit',
  inPieces: true,
  access: inOrganisation('viewer'),
  query: [...auditQuery, 'cursor'],
  answer: auditPageSchema,
  run: (queries, request, principal) => {
    const problems = new ProblemList();
    const scope = organisationAudit(request, ownOrganisation(principal).id, problems);
    const cursor = readCursor(request, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return succeed(auditPage(queries, scope, cursor));
  },
});
