import type { Test } from 'tap';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A data directory with one project, a flag that is off, and a write token. */
export interface Provisioned {
  readonly dataDir: string;
  readonly projectId: string;
  readonly flag: string;
  readonly secret: string;
  readonly tokenId: string;
}

/** One organisation with one project. @param project further fields of the project, as `apply` reads them */
export function oneProject(name: string, project: object): object {
  return { organisations: [{ name: 'Harbour', plan: 'enterprise', projects: [{ name, ...project }] }] };
}

export async function provisionOne(t: Test): Promise<Provisioned> {
  const dataDir = temporaryDirectory(t);
  const document = oneProject('harbour', {
    flags: [{ name: 'flag', trafficPercentage: 100 }],
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const { id: tokenId, secret } = tokenOf(project, 'ci');
  return { dataDir, projectId: project.id, flag: idOf(project.flags, 'flag'), secret, tokenId };
}
