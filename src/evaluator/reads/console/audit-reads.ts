import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { exportAudit } from './export-audit.ts';
import { exportProjectAudit } from './export-project-audit.ts';
import { listAudit } from './list-audit.ts';
import { listProjectAudit } from './list-project-audit.ts';
import { watchOrganisation } from './watch-organisation.ts';
import { watchProject } from './watch-project.ts';

/** The audit log of the organisation and of one project, and what it tells of changes to whoever watches. */
export const auditReads = {
  'list-audit': { scope: 'member', run: listAudit },
  'export-audit': { scope: 'member', run: exportAudit },
  'list-project-audit': { scope: 'project', run: listProjectAudit },
  'export-project-audit': { scope: 'project', run: exportProjectAudit },
  'watch-organisation': { scope: 'member', run: watchOrganisation },
  'watch-project': { scope: 'project', run: watchProject },
} satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
