import type { AdminClient } from '../admin/admin-fixture.ts';
import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { TamperedServer } from '../support/tampering/tampered-server.ts';
import type { Acknowledgements } from './load/acknowledgements.ts';
import type { Installation, Target } from './load/installation.ts';
import type { SteadyLoad } from './steady-load.ts';

/** A server under evaluations, with what a case may do to it. */
export interface WorkerStage extends Lifetime {
  readonly random: Random;
  readonly installation: Installation;
  /** What a mixed load may change: without the steady and the watched flags. */
  readonly changed: Installation;
  /** Flags that are off, and stay so. */
  readonly steady: readonly Target[];
  /** Flags of clients that look whether what they changed is seen at once. */
  readonly watched: readonly Target[];
  /** What all clients know of their changes. */
  readonly known: Acknowledgements;
  readonly server: TamperedServer;
  readonly admin: AdminClient;
  readonly load: SteadyLoad;
  readonly workers: number;
  /** Of the load. */
  readonly connections: number;
  /** Real milliseconds of what the server takes for so many. */
  realMs(serverMs: number): number;
  readonly requestDeadlineMs: number;
  /** How much later than promised an answer may come here. */
  readonly slackMs: number;
}
