import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { succeed } from '../../domain/outcome.ts';
import { facts, organisationEntry, projectEntry } from '../audit-entries.ts';
import { inOrganisation, inProject, writeStep } from '../operation.ts';
import { exportQuery } from './audit-export.ts';

/** Records that a member exports the organisation's log, with the filters. */
export const recordExport = writeStep(
  'record-export',
  inOrganisation('viewer'),
  (_queries, request, principal, context) => {
    const { id, name } = ownOrganisation(principal);
    const what = { action: 'audit.export', targetId: id, targetName: name } as const;
    const changes = facts(request.query);
    return succeed({
      changes: [organisationEntry(request, principal, context, { ...what, changes })],
      reply: {},
    });
  },
  exportQuery,
);

/** The same, of the entries of a project. */
export const recordProjectExport = writeStep(
  'record-project-export',
  inProject('viewer'),
  (_queries, request, principal, context) => {
    const { id, name } = principal.project;
    const what = { action: 'audit.export', targetId: id, targetName: name } as const;
    const changes = facts(request.query);
    return succeed({ changes: [projectEntry({ ...what, changes }, principal, request, context)], reply: {} });
  },
  exportQuery,
);
