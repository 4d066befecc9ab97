import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';
import { FairAmount, type Tenant, usualWeights } from '../../support/fair-share.ts';
import type { CountedEvaluations } from '../evaluation/evaluation-tallies.ts';

/**
 * The way of a report to the process, which has counted or will count it.
 * @param key the same for a report that is sent again. @returns false: it has been counted before
 */
export type ReportUsage = (tenant: Tenant, key: string, counted: CountedEvaluations) => Promise<boolean>;

/** Reports that a worker has under way. */
const reportsMax = 256;

/** @returns the room of a worker for reports of usage */
export function createReportRoom(): FairAmount {
  return new FairAmount(reportsMax, usualWeights);
}

/** What a report adds to the counts of flags. */
interface CountedUsage {
  readonly counted: CountedEvaluations;
  readonly flags: number;
  readonly evaluations: number;
  /** Flags that this project does not have, any more or at all. */
  readonly unknownFlags: number;
}

/** Counts what is of flags of the project, for the environment. */
export function countUsage(
  { flags }: SyncUsage,
  projectId: string,
  environmentNumber: number,
  evaluation: EvaluationQueries,
): CountedUsage {
  const known = flags.filter(({ id }) => evaluation.flag(id)?.begin(2)[1] === projectId);
  const counted = known.filter(({ on, off }) => on + off > 0);
  const numbers = new Float64Array(counted.flatMap(({ on, off }) => [environmentNumber, on, off]));
  return {
    counted: { flagIds: counted.map(({ id }) => id).join(''), numbers },
    flags: known.length,
    evaluations: counted.reduce((sum, { on, off }) => sum + on + off, 0),
    unknownFlags: flags.length - known.length,
  };
}
