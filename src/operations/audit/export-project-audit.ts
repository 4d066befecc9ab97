import { refuse, succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { consoleRead, inProject } from '../operation.ts';
import { auditExport, exportQuery, readFormat } from './audit-export.ts';
import { projectAudit } from './audit-scope.ts';
import { recordProjectExport } from './record-export.ts';

export const exportProjectAudit = consoleRead('export-project-audit', {
  route: 'GET /projects/{projectId}/audit/export',
  inPieces: true,
  access: inProject('viewer'),
  query: exportQuery,
  recordedBy: recordProjectExport,
  run: (queries, request, principal, { now }) => {
    const problems = new ProblemList();
    const scope = projectAudit(request, principal, problems);
    const format = readFormat(request, problems);
    if (!problems.isEmpty) return refuse('invalid-request', problems.detail());
    return succeed(auditExport(queries, scope, format, now));
  },
});
