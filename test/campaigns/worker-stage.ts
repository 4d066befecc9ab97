import type { AdminClient } from '../admin/admin-fixture.ts';
import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { TamperedServer } from '../support/tampering/tampered-server.ts';
import type { Acknowledgements } from './load/acknowledgements.ts';
import type { Installation, Target } from './load/installation.ts';
import type { SteadyLoad } from './steady-load.ts';

/** A server under a load of evaluations, for the cases of the campaign. */
export interface WorkerStage extends Lifetime {
  readonly random: Random;
  readonly installation: Installation;
  /** Flags that the mixed load may change: all but the steady and the watched ones. */
  readonly changed: Installation;
  /** Flags that stay off. */
  readonly steady: readonly Target[];
  /** Flags of the clients that check whether their changes show at once. */
  readonly watched: readonly Target[];
  /** The changes that all clients know of. */
  readonly known: Acknowledgements;
  readonly server: TamperedServer;
  readonly admin: AdminClient;
  readonly load: SteadyLoad;
  readonly workers: number;
  /** The number of the load's clients. */
  readonly connections: number;
  /** @returns the real ms in which the server's clock advances by `serverMs` */
  realMs(serverMs: number): number;
  readonly requestDeadlineMs: number;
  /** How much later than promised an answer may come in this run. */
  readonly slackMs: number;
}
