import { ConsoleClient } from '../../console/console-client.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { type ProvisionedProject, projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A data directory with two organisations: one with few small flags, and one that uses every limit fully. */
export interface TenantsInstallation {
  readonly dataDir: string;
  readonly quiet: Tenant;
  readonly hostile: HostileTenant;
}

export interface Tenant {
  readonly projectId: string;
  readonly flags: readonly string[];
  readonly secret: string;
  readonly email: string;
}

export interface HostileTenant extends Tenant {
  /** Each with hundreds of kilobytes of cohorts. */
  readonly largeFlags: readonly string[];
  readonly largeProjectId: string;
  /** The write token of the project of the large flags. */
  readonly largeSecret: string;
  /**
   * Flags of a project of many environments. One inherits a long list in each environment, the others have lists of
   * their own.
   */
  readonly groupFlags: readonly string[];
  readonly groupSecret: string;
  readonly groupProjectId: string;
  /** A token of that project that may use one of its environments. */
  readonly limitedSecret: string;
  /** A project of thousands of flags. */
  readonly longProjectId: string;
  readonly longSecret: string;
  /** A project whose flags apply an audience of many rules. */
  readonly ruledProjectId: string;
  /** A project of thousands of flags that apply one audience with a long list. */
  readonly reachedProjectId: string;
  readonly reachedSecret: string;
}

export interface TenantsSizes {
  readonly largeFlags: number;
  readonly cohortsOfLargeFlag: number;
  readonly flagsOfLongProject: number;
  readonly environmentsOfGroup: number;
}

const password = 'correct horse battery';
const flagsOfQuiet = 20;

/** Cohorts as long as names of user groups. @returns some 24 bytes for each */
export function cohortsOf(count: number, kind: string): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-customers-${String(index).padStart(8, '0')}`);
}

export async function installTenants(t: Lifetime, sizes: TenantsSizes): Promise<TenantsInstallation> {
  const dataDir = temporaryDirectory(t);
  const document = {
    organisations: [
      organisation('quiet', [project('orders', flagsOfQuiet)]),
      organisation('hostile', [
        project('small', flagsOfQuiet),
        project('large', sizes.largeFlags, { cohorts: cohortsOf(sizes.cohortsOfLargeFlag, 'first') }),
        project('long', sizes.flagsOfLongProject),
        reachedProject(sizes),
        groupProject(sizes),
        ruledProject(),
      ]),
    ],
  };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const large = projectOf(provisioned, 'large');
  const long = projectOf(provisioned, 'long');
  const group = projectOf(provisioned, 'group');
  const reached = projectOf(provisioned, 'reached');
  return {
    dataDir,
    quiet: tenantOf(projectOf(provisioned, 'orders'), 'quiet'),
    hostile: {
      ...tenantOf(projectOf(provisioned, 'small'), 'hostile'),
      largeFlags: Object.values(large.flags),
      largeProjectId: large.id,
      largeSecret: tokenOf(large, 'ci').secret,
      groupFlags: Object.values(group.flags),
      groupSecret: tokenOf(group, 'ci').secret,
      groupProjectId: group.id,
      limitedSecret: tokenOf(group, 'limited').secret,
      longProjectId: long.id,
      longSecret: tokenOf(long, 'ci').secret,
      ruledProjectId: projectOf(provisioned, 'ruled').id,
      reachedProjectId: reached.id,
      reachedSecret: tokenOf(reached, 'ci').secret,
    },
  };
}

/** @returns the cookie header of a signed-in member */
export async function signIn(
  t: Lifetime,
  port: number,
  email: string,
  localAddress: string,
): Promise<string> {
  const client = new ConsoleClient(t, { port, localAddress });
  const answer = await client.send('POST', '/session', { email, password });
  if (answer.status !== 200) throw new Error(`${email} cannot sign in: ${answer.status} ${answer.text}`);
  return `Cookie: ${[...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}\r\n`;
}

/** @returns a sign-in by password, encoded for the wire */
export function signInRequest(port: number, email: string, attempted = password): string {
  const body = JSON.stringify({ email, password: attempted });
  return signInHead(port, body.length) + body;
}

/** @returns the head of a sign-in with a body of this length */
export function signInHead(port: number, bytes: number): string {
  const place = `127.0.0.1:${port}`;
  const lines = [
    `Host: ${place}`,
    `Origin: http://${place}`,
    'X-Burgee-Console: 1',
    `Content-Length: ${bytes}`,
  ];
  return ['POST /console/api/session HTTP/1.1', ...lines, '', ''].join('\r\n');
}

function organisation(name: string, projects: readonly object[]): object {
  const members = [{ name: `Owner of ${name}`, email: `owner@${name}.example`, role: 'owner', password }];
  return { name, plan: 'enterprise', members, projects };
}

function ruledProject(): object {
  const rules = Array.from({ length: 50 }, () => ({ attribute: 'a', values: ['last', 'second', 'third'] }));
  const ruled = project('ruled', 300, { audience: 'ruled' });
  return { ...ruled, audiences: [{ name: 'ruled', rules }] };
}

function project(name: string, flags: number, state: object = {}): object {
  return {
    name,
    tokens: [{ name: 'ci', permission: 'write' }],
    flags: Array.from({ length: flags }, (_, index) => ({
      name: `${name} ${index}`,
      enabled: true,
      trafficPercentage: 100,
      ...state,
    })),
  };
}

/** Thousands of flags that apply one audience with a long list. */
function reachedProject({ flagsOfLongProject, cohortsOfLargeFlag }: TenantsSizes): object {
  const values = cohortsOf(Math.ceil(cohortsOfLargeFlag / 4), 'first');
  const audiences = [{ name: 'reached', rules: [{ attribute: 'a', values }] }];
  const flags = Math.ceil(flagsOfLongProject / 4);
  return { ...project('reached', flags, { audience: 'reached' }), audiences };
}

/** A flag whose list is shown by many environments, and one with many lists of its own, both near their bounds. */
function groupProject({ environmentsOfGroup }: TenantsSizes): object {
  const environments = Array.from({ length: environmentsOfGroup }, (_, index) => `environment-${index}`);
  const ownLists = environments
    .slice(0, 20)
    .map((name) => [name, { cohorts: cohortsOf(1500, name) }] as const);
  return {
    name: 'group',
    environments,
    tokens: [
      { name: 'ci', permission: 'write' },
      { name: 'limited', permission: 'read', environments: environments.slice(0, 1) },
    ],
    flags: [
      { name: 'inherits', cohorts: cohortsOf(2400, 'everywhere') },
      { name: 'holds', environments: Object.fromEntries(ownLists) },
    ],
  };
}

function tenantOf(project: ProvisionedProject, organisation: string): Tenant {
  return {
    projectId: project.id,
    flags: Object.values(project.flags),
    secret: tokenOf(project, 'ci').secret,
    email: `owner@${organisation}.example`,
  };
}
