import type { Lifetime } from '../support/lifetime.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A data directory with one project of single-environment flags, and a write token. */
export interface CampaignProject {
  readonly dataDir: string;
  readonly projectId: string;
  readonly flags: readonly string[];
  readonly secret: string;
}

export interface CampaignProjectOptions {
  readonly flags: number;
  /** The state of every flag, as `apply` reads it. */
  readonly state?: object;
}

/** Provisions it offline. The directory is removed when the lifetime ends. */
export async function provisionProject(
  t: Lifetime,
  { flags, state = { enabled: true, trafficPercentage: 100 } }: CampaignProjectOptions,
): Promise<CampaignProject> {
  const dataDir = temporaryDirectory(t);
  const names = Array.from({ length: flags }, (_, index) => `flag ${index}`);
  const project = {
    name: 'harbour',
    flags: names.map((name) => ({ name, ...state })),
    tokens: [{ name: 'ci', permission: 'write' }],
  };
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects: [project] }] };
  const provisioned = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  return {
    dataDir,
    projectId: provisioned.id,
    flags: Object.values(provisioned.flags),
    secret: tokenOf(provisioned, 'ci').secret,
  };
}
