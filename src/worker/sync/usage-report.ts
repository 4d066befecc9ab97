import { ProblemList } from '../../domain/problem-list.ts';
import type { SyncUsage } from '../../domain/sync/configuration.ts';
import { readUsage } from '../../domain/sync/sync-usage.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';
import { assert } from '../../support/assert.ts';
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
export interface CountedUsage {
  readonly reportId: string;
  readonly counted: CountedEvaluations;
  readonly flags: number;
  readonly evaluations: number;
  /** Flags that this project does not have, any more or at all. */
  readonly unknownFlags: number;
}

type ReportedFlag = SyncUsage['flags'][number];

/** A report on its way: its body is read, and then its flags are looked up. */
interface OpenReport {
  readonly tenant: Tenant;
  readonly body: Uint8Array | null;
  /** Null until the body was read. */
  reportId: string | null;
  flags: Iterator<ReportedFlag>;
  readonly known: ReportedFlag[];
  unknownFlags: number;
  /** Whether its client still waits for it. */
  isWanted(): boolean;
  /** @param outcome what is wrong with the body; null when the client does not wait any more */
  done(outcome: OpenReport | ProblemList | null): void;
  fail(fault: unknown): void;
}

/**
 * Counts what is of flags of the project. A body may name a thousand flags; a flag's record says whose it is, and
 * reading it copies its lists. So bodies are read and flags are looked up one by one between events, and organisations
 * take turns.
 */
export class UsageReports {
  readonly #evaluation: EvaluationQueries;
  readonly #turns = new TenantTurns<OpenReport>();
  readonly #between: BetweenEvents;

  /** @param onStep receives how long each slice took, in milliseconds */
  constructor(evaluation: EvaluationQueries, onStep: (ms: number) => void) {
    this.#evaluation = evaluation;
    this.#between = new BetweenEvents((budgetMs) => this.#run(budgetMs), onStep);
  }

  /**
   * Counts for an environment of the project. What is reported of a flag twice is added up.
   * @param body may be given back once this has settled
   * @returns the problems of the body; null: the client does not wait any more
   */
  async count(
    body: Uint8Array | null,
    tenant: Tenant,
    environmentNumber: number,
    isWanted: () => boolean,
  ): Promise<CountedUsage | ProblemList | null> {
    const report = await this.#lookUp(body, tenant, isWanted);
    if (report === null || report instanceof ProblemList) return report;
    const { reportId, known, unknownFlags } = report;
    const { projectId } = tenant;
    assert(reportId !== null, 'the body of a report whose flags were looked up was read');
    const counted = known.filter(({ on, off }) => on + off > 0);
    const numbers = new Float64Array(counted.flatMap(({ on, off }) => [environmentNumber, on, off]));
    return {
      reportId,
      counted: {
        flagIds: counted.map(({ id }) => id).join(''),
        projectIds: projectId.repeat(counted.length),
        numbers,
      },
      flags: known.length,
      evaluations: counted.reduce((sum, { on, off }) => sum + on + off, 0),
      unknownFlags,
    };
  }

  #lookUp(
    body: Uint8Array | null,
    tenant: Tenant,
    isWanted: () => boolean,
  ): Promise<OpenReport | ProblemList | null> {
    return new Promise((done, fail) => {
      const unread = { reportId: null, flags: [].values(), known: [], unknownFlags: 0 };
      this.#turns.add(tenant, { tenant, body, ...unread, isWanted, done, fail });
      this.#between.schedule();
    });
  }

  /** Takes steps for so long, at least one. @returns whether there is more to do */
  #run(budgetMs: number): boolean {
    const until = monotonicMs() + budgetMs;
    do {
      const report = this.#turns.take();
      if (report === undefined) return false;
      if (this.#step(report)) this.#turns.add(report.tenant, report);
    } while (monotonicMs() < until);
    return this.#turns.size > 0;
  }

  /** Reads the body, or looks up a flag. @returns whether the report needs another step */
  #step(report: OpenReport): boolean {
    try {
      if (!report.isWanted()) {
        report.done(null);
        return false;
      }
      if (report.reportId === null) return readBodyOf(report);
      const next = report.flags.next();
      if (next.done === true) {
        report.done(report);
        return false;
      }
      const isKnown = this.#evaluation.flag(next.value.id)?.begin(2)[1] === report.tenant.projectId;
      if (isKnown) report.known.push(next.value);
      else report.unknownFlags += 1;
      return true;
    } catch (fault) {
      report.fail(fault);
      return false;
    }
  }
}

/** @returns whether it has flags to look up */
function readBodyOf(report: OpenReport): boolean {
  const usage = readUsage(report.body);
  if (usage instanceof ProblemList) {
    report.done(usage);
    return false;
  }
  const flags = new Map<string, ReportedFlag>();
  for (const { id, on, off } of usage.flags) {
    const before = flags.get(id);
    flags.set(id, { id, on: on + (before?.on ?? 0), off: off + (before?.off ?? 0) });
  }
  report.reportId = usage.reportId;
  report.flags = flags.values();
  return true;
}
