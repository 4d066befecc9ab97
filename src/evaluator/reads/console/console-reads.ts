import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type { PublicReadEntry } from '../../../contracts/console/public-handler.ts';
import { audienceReads } from './audience-reads.ts';
import { auditReads } from './audit-reads.ts';
import { flagReads } from './flag-reads.ts';
import { organisationReads } from './organisation-reads.ts';
import { projectReads } from './project-reads.ts';
import { sessionReads } from './session-reads.ts';
import { tokenReads } from './token-reads.ts';
import { usageReads } from './usage-reads.ts';

/** Every read of the console, by operation: each area has a table of its own. */
export const consoleReads: Readonly<Partial<Record<ConsoleAskId, ConsoleReadEntry | PublicReadEntry>>> = {
  ...audienceReads,
  ...auditReads,
  ...flagReads,
  ...organisationReads,
  ...projectReads,
  ...sessionReads,
  ...tokenReads,
  ...usageReads,
};
