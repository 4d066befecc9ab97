import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { TamperedServer } from '../support/tampering/tampered-server.ts';
import type { CampaignProject } from './campaign-project.ts';
import type { SteadyLoad } from './steady-load.ts';

/** A server under evaluations, with what a case may do to it. */
export interface ThreadStage extends Lifetime {
  readonly random: Random;
  readonly project: CampaignProject;
  readonly server: TamperedServer;
  readonly load: SteadyLoad;
  readonly evaluatorThreads: number;
  /** Of the load: so many requests are in flight at most, fewer than a batch holds. */
  readonly connections: number;
  /** Real milliseconds of what the server takes for so many. */
  realMs(serverMs: number): number;
  readonly requestDeadlineMs: number;
  /** How much later than promised an answer may come here. */
  readonly slackMs: number;
}
