import type { ConsoleReadEntry } from '../../../contracts/console/console-handler.ts';
import type { ConsoleOperationId } from '../../../contracts/console/console-operations.ts';
import { countEvaluations } from './count-evaluations.ts';

/** What members see of how flags are used. */
export const usageReads = {
  'count-evaluations': { scope: 'project', run: countEvaluations },
} satisfies Partial<Record<ConsoleOperationId, ConsoleReadEntry>>;
