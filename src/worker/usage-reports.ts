import { ProblemList } from '../domain/problem-list.ts';
import type { SyncUsage } from '../domain/sync/configuration.ts';
import { readUsage } from '../domain/sync/sync-usage.ts';
import type { EvaluationQueries } from '../storage/evaluation-reader.ts';
import { StepQueue } from '../streams/step-queue.ts';
import type { Tenant } from '../support/fair-share.ts';
import type { CountedEvaluations } from './evaluation/evaluation-tallies.ts';

/**
 * Has the process count a report.
 * @param key the same for a report that is sent again. @returns false: it has been counted before
 */
export type ReportUsage = (tenant: Tenant, key: string, counted: CountedEvaluations) => Promise<boolean>;

/** What a report adds to the counts of flags. */
export interface CountedUsage {
  readonly reportId: string;
  readonly counted: CountedEvaluations;
  readonly flags: number;
  readonly evaluations: number;
  /** Flags that this project does not have, or no longer has. */
  readonly unknownFlags: number;
}

type ReportedFlag = SyncUsage['flags'][number];

/** Reads the reports of one worker, one after the other: the flags of each are looked up between requests. */
export class UsageReports {
  readonly #evaluation: EvaluationQueries;
  readonly #queue = new StepQueue();

  constructor(evaluation: EvaluationQueries) {
    this.#evaluation = evaluation;
  }

  /**
   * Counts for an environment of the project. Several reports of one flag are added up.
   * @param body may be given back when this has settled
   * @returns the problems of the body; null: the client does not wait any more
   */
  count(
    body: Uint8Array | null,
    projectId: string,
    environmentNumber: number,
    isWanted: () => boolean,
  ): Promise<CountedUsage | ProblemList | null> {
    return this.#queue.run(() => this.#count(body, projectId, environmentNumber, isWanted));
  }

  *#count(
    body: Uint8Array | null,
    projectId: string,
    environmentNumber: number,
    isWanted: () => boolean,
  ): Generator<undefined, CountedUsage | ProblemList | null> {
    if (!isWanted()) return null;
    const usage = readUsage(body);
    if (usage instanceof ProblemList) return usage;
    const flags = addUp(usage.flags);
    const known: ReportedFlag[] = [];
    for (const flag of flags) {
      yield;
      if (this.#evaluation.flag(flag.id)?.begin(2)[1] === projectId) known.push(flag);
    }
    const counted = known.filter(({ on, off }) => on + off > 0);
    return {
      reportId: usage.reportId,
      counted: {
        flagIds: counted.map(({ id }) => id).join(''),
        projectIds: projectId.repeat(counted.length),
        numbers: new Float64Array(counted.flatMap(({ on, off }) => [environmentNumber, on, off])),
      },
      flags: known.length,
      evaluations: counted.reduce((sum, { on, off }) => sum + on + off, 0),
      unknownFlags: flags.length - known.length,
    };
  }
}

function addUp(reported: readonly ReportedFlag[]): readonly ReportedFlag[] {
  const flags = new Map<string, ReportedFlag>();
  for (const { id, on, off } of reported) {
    const before = flags.get(id);
    flags.set(id, { id, on: on + (before?.on ?? 0), off: off + (before?.off ?? 0) });
  }
  return [...flags.values()];
}
