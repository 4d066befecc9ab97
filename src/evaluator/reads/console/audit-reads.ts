import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { exportAudit } from './export-audit.ts';
import { exportProjectAudit } from './export-project-audit.ts';
import { listAudit } from './list-audit.ts';
import { listProjectAudit } from './list-project-audit.ts';

/** The audit log of the organisation, and of one project. */
export const auditReads = {
  'list-audit': { scope: 'member', run: listAudit },
  'export-audit': { scope: 'member', run: exportAudit },
  'list-project-audit': { scope: 'project', run: listProjectAudit },
  'export-project-audit': { scope: 'project', run: exportProjectAudit },
} satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
