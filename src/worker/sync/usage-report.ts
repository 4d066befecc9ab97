import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';
import { FairAmount, type Tenant } from '../../support/fair-share.ts';
import type { CountedEvaluations } from '../evaluation/evaluation-tallies.ts';
import { Turns, turnWeights } from './turns.ts';

/** Reports that a worker has under way. */
const reportsMax = 256;
/** Of these, those whose counts the process adds at the moment: each takes it up to half a millisecond. */
const addedAtOnceMax = 4;

/** The ways of reports to the process. */
export interface ReportPort {
  /** @param key the same for a report that is sent again. @returns false: it has been counted before */
  claimReport(tenant: Tenant, key: string): Promise<boolean>;
  /** Adds the counts of a report to those of the process. */
  addReported(counted: CountedEvaluations): Promise<null>;
}

/** The reports that a worker has under way, of which projects and organisations have their shares. */
export class UsageReports {
  readonly #port: ReportPort;
  readonly #room = new FairAmount(reportsMax, turnWeights);
  readonly #turns = new Turns(addedAtOnceMax);

  constructor(port: ReportPort) {
    this.#port = port;
  }

  /** @returns whether there is room for a report; `end` must follow */
  begin(tenant: Tenant): boolean {
    return this.#room.take(tenant, 1);
  }

  end(tenant: Tenant): void {
    this.#room.give(tenant, 1);
  }

  /** Has a report counted once. @returns false: it has been counted before */
  async count(tenant: Tenant, key: string, counted: CountedEvaluations): Promise<boolean> {
    // In a cluster it may take seconds until all nodes' reports are known: nobody waits for that in a line.
    if (!(await this.#port.claimReport(tenant, key))) return false;
    await new Promise<void>((begin) => this.#turns.ask({ tenant, begin }));
    try {
      await this.#port.addReported(counted);
    } finally {
      this.#turns.give({ tenant });
    }
    return true;
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
