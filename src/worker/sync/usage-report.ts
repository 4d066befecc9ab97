import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';
import { FairAmount, type Tenant } from '../../support/fair-share.ts';
import type { CountedEvaluations } from '../evaluation/evaluation-tallies.ts';
import { Turns, turnWeights } from './turns.ts';

/** Reports that a worker has under way, and of these those that the process counts at the moment: each takes it up to a millisecond. */
const reportsMax = 256;
const countedAtOnceMax = 8;

/** A report of usage, as the process counts it. */
export interface UsageReport {
  readonly tenant: Tenant;
  /** The same for a report that is sent again. */
  readonly key: string;
  readonly counted: CountedEvaluations;
}

/** The way of a report to the process, which has counted or will count it. @returns false: it has been counted before */
export type ReportUsage = (report: UsageReport) => Promise<boolean>;

/** The reports that a worker has under way: projects and organisations have shares, and take turns. */
export class UsageReports {
  readonly #report: ReportUsage;
  readonly #room = new FairAmount(reportsMax, turnWeights);
  readonly #turns = new Turns(countedAtOnceMax);

  constructor(report: ReportUsage) {
    this.#report = report;
  }

  /** @returns as `ReportUsage`; null: there are too many */
  async report(report: UsageReport): Promise<boolean | null> {
    const { tenant } = report;
    if (!this.#room.take(tenant, 1)) return null;
    await new Promise<void>((begin) => this.#turns.ask({ tenant, begin }));
    try {
      return await this.#report(report);
    } finally {
      this.#turns.give({ tenant });
      this.#room.give(tenant, 1);
    }
  }
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
