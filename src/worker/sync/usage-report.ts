import type { SyncUsage } from '../../domain/sync/configuration.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';
import { FairAmount, type Tenant, usualWeights } from '../../support/fair-share.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { TenantTurns } from '../../support/tenant-turns.ts';
import { BetweenEvents } from '../between-events.ts';
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

/** A report whose flags are looked up. */
interface LookedUp {
  readonly tenant: Tenant;
  readonly flags: Iterator<SyncUsage['flags'][number]>;
  readonly known: SyncUsage['flags'][number][];
  unknownFlags: number;
  /** Whether its client still waits for it. */
  isWanted(): boolean;
  done(isWhole: boolean): void;
  fail(fault: unknown): void;
}

/**
 * Counts what is of flags of the project. A flag's record says whose it is, and reading it copies its lists. So flags are
 * looked up one by one between events, and organisations take turns.
 */
export class UsageReports {
  readonly #evaluation: EvaluationQueries;
  readonly #turns = new TenantTurns<LookedUp>();
  readonly #between: BetweenEvents;

  /** @param onStep receives how long each slice took, in milliseconds */
  constructor(evaluation: EvaluationQueries, onStep: (ms: number) => void) {
    this.#evaluation = evaluation;
    this.#between = new BetweenEvents((budgetMs) => this.#run(budgetMs), onStep);
  }

  /**
   * Counts for an environment of the project. What is reported of a flag twice is added up.
   * @returns null: the client does not wait any more
   */
  async count(
    { flags }: SyncUsage,
    tenant: Tenant,
    environmentNumber: number,
    isWanted: () => boolean,
  ): Promise<CountedUsage | null> {
    const reported = new Map<string, { id: string; on: number; off: number }>();
    for (const { id, on, off } of flags) {
      const before = reported.get(id);
      reported.set(id, { id, on: on + (before?.on ?? 0), off: off + (before?.off ?? 0) });
    }
    const found = await this.#lookUp(reported.values(), tenant, isWanted);
    if (found === null) return null;
    const counted = found.known.filter(({ on, off }) => on + off > 0);
    const numbers = new Float64Array(counted.flatMap(({ on, off }) => [environmentNumber, on, off]));
    return {
      counted: { flagIds: counted.map(({ id }) => id).join(''), numbers },
      flags: found.known.length,
      evaluations: counted.reduce((sum, { on, off }) => sum + on + off, 0),
      unknownFlags: found.unknownFlags,
    };
  }

  #lookUp(flags: LookedUp['flags'], tenant: Tenant, isWanted: () => boolean): Promise<LookedUp | null> {
    return new Promise((resolve, reject) => {
      const done = (isWhole: boolean): void => resolve(isWhole ? report : null);
      const report: LookedUp = { tenant, flags, known: [], unknownFlags: 0, isWanted, done, fail: reject };
      this.#turns.add(tenant, report);
      this.#between.schedule();
    });
  }

  /** Looks up flags for so long, at least one. @returns whether there is more to do */
  #run(budgetMs: number): boolean {
    const until = monotonicMs() + budgetMs;
    do {
      const report = this.#turns.take();
      if (report === undefined) return false;
      if (this.#step(report)) this.#turns.add(report.tenant, report);
    } while (monotonicMs() < until);
    return this.#turns.size > 0;
  }

  /** @returns whether the report has more flags */
  #step(report: LookedUp): boolean {
    const { tenant, flags, known } = report;
    try {
      const next = report.isWanted() ? flags.next() : null;
      if (next === null || next.done === true) {
        report.done(next !== null);
        return false;
      }
      if (this.#evaluation.flag(next.value.id)?.begin(2)[1] === tenant.projectId) known.push(next.value);
      else report.unknownFlags += 1;
      return true;
    } catch (fault) {
      report.fail(fault);
      return false;
    }
  }
}
