import type { Campaign } from './campaign.ts';
import { clock } from './clock.campaign.ts';
import { cluster } from './cluster.campaign.ts';
import { clusterLinearizability } from './cluster-linearizability.campaign.ts';
import { damagedData } from './damaged-data.campaign.ts';
import { failingWrites } from './failing-writes.campaign.ts';
import { framing } from './framing.campaign.ts';
import { fullDisk } from './full-disk.campaign.ts';
import { hostileClients } from './hostile-clients.campaign.ts';
import { kill9 } from './kill-9.campaign.ts';
import { linearizability } from './linearizability.campaign.ts';
import { misuse } from './misuse.campaign.ts';
import { overload } from './overload.campaign.ts';
import { powerLoss } from './power-loss.campaign.ts';
import { soak } from './soak.campaign.ts';
import { tenants } from './tenants.campaign.ts';
import { workers } from './workers.campaign.ts';

/** In the order in which `npm run campaign` lists them. */
export const campaigns: readonly Campaign[] = [
  kill9,
  powerLoss,
  failingWrites,
  fullDisk,
  workers,
  damagedData,
  hostileClients,
  framing,
  misuse,
  tenants,
  overload,
  clock,
  linearizability,
  cluster,
  clusterLinearizability,
  soak,
];
