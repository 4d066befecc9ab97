import type { BootedServer } from '../../support/booted-server.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { CampaignContext } from '../campaign.ts';
import type { CampaignProject } from '../campaign-project.ts';
import type { SteadyLoad } from '../steady-load.ts';

/** A server under a normal load, for hostile clients. */
export interface HostileStage extends Lifetime {
  readonly project: CampaignProject;
  readonly server: BootedServer;
  readonly load: SteadyLoad;
  readonly context: CampaignContext;
}

/** @returns how many attempts were made. @throws on a violation */
export type HostileStep = (stage: HostileStage) => Promise<number>;
