import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { consoleRead, inOrganisation } from '../operation.ts';
import { auditExport, exportQuery, readFormat } from './audit-export.ts';
import { organisationAudit } from './audit-scope.ts';
import { recordExport } from './record-export.ts';

/** `format` is `ndjson` or `csv`. */
export const exportAudit = consoleRead('export-audit', {
  route: 'GET /audit/export',
  inPieces: true,
  access: inOrganisation('viewer'),
  query: exportQuery,
  recordedBy: recordExport,
  run: (queries, request, principal, { now }) => {
    const problems = new ProblemList();
    const scope = organisationAudit(request, ownOrganisation(principal).id, problems);
    const format = readFormat(request, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return succeed(auditExport(queries, scope, format, now));
  },
});
