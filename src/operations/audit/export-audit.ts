import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { consoleRead, inOrganisation } from '../operation.ts';
import { auditExport, readFormat } from './audit-export.ts';
import { auditQuery, organisationAudit } from './audit-scope.ts';

/** `format` is `ndjson` or `csv`. */
export const exportAudit = consoleRead('export-audit', {
  route: 'GET /audit/export',
  inPieces: true,
  access: inOrganisation('viewer'),
  query: [...auditQuery, 'format'],
  run: (queries, request, principal, { now }) => {
    const problems = new ProblemList();
    const scope = organisationAudit(request, ownOrganisation(principal).id, problems);
    const format = readFormat(request, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return succeed(auditExport(queries, scope, format, now));
  },
});
