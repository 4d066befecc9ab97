import type { Lifetime } from '../../support/lifetime.ts';
import { projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** One flag in one environment. */
export interface Target {
  readonly flagId: string;
  /** Null on a single-environment flag. */
  readonly environment: string | null;
}

/** A flag's project and write token. */
export interface Project {
  readonly id: string;
  readonly secret: string;
  readonly targets: readonly Target[];
}

/** A data directory for a mixed load: a project of each kind, and read tokens, whose writes are refused. */
export interface Installation {
  readonly dataDir: string;
  readonly single: Project;
  readonly multi: Project;
  readonly readers: readonly { readonly id: string; readonly secret: string }[];
}

const environments = ['production', 'staging'];
/** A project has at most 50 tokens. */
const readersMax = 40;

/** @param flags how many flags each project gets */
export async function installForLoad(
  t: Lifetime,
  {
    flags,
    readers = readersMax,
    dataDir = temporaryDirectory(t),
  }: {
    readonly flags: number;
    readonly readers?: number;
    readonly dataDir?: string;
  },
): Promise<Installation> {
  const readerNames = Array.from({ length: readers }, (_, index) => `reader ${index}`);
  const named = Array.from({ length: flags }, (_, index) => ({ name: `flag ${index}` }));
  const writer = { name: 'ci', permission: 'write' };
  const tokens = [writer, ...readerNames.map((name) => ({ name, permission: 'read' }))];
  const projects = [
    { name: 'single', flags: named, tokens },
    { name: 'multi', environments, flags: named, tokens: [writer] },
  ];
  const members = [{ name: 'Owner', email: 'owner@example.test', role: 'owner' }];
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', members, projects }] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const single = projectOf(provisioned, 'single');
  const multi = projectOf(provisioned, 'multi');
  return {
    dataDir,
    single: {
      id: single.id,
      secret: tokenOf(single, 'ci').secret,
      targets: Object.values(single.flags).map((flagId) => ({ flagId, environment: null })),
    },
    multi: {
      id: multi.id,
      secret: tokenOf(multi, 'ci').secret,
      targets: Object.values(multi.flags).flatMap((flagId) =>
        environments.map((environment) => ({ flagId, environment })),
      ),
    },
    readers: readerNames.map((name) => tokenOf(single, name)),
  };
}
