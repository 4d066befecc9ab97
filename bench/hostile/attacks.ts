import { getRequest, patchRequest } from '../../test/campaigns/wire-connection.ts';
import type { ProvisionedProject } from '../servers/bench-directory.ts';
import { type ProvisionedPart, quietOrganisation } from '../servers/provision-file.ts';

/** How large an attack is. */
export interface AttackSizes {
  readonly chunks: number;
  readonly pages: number;
  readonly flags: number;
  readonly largeFlags: number;
  readonly cohorts: number;
}

/** An attack by anonymous clients or by a tenant, whose clients send the same requests all the time. */
export interface Attack {
  readonly id: string;
  readonly title: string;
  readonly clients: number;
  /** Whether the clients read their answers, and send the next request after each. */
  readonly isReading: boolean;
  /** Whether it writes. */
  readonly isWriting: boolean;
  /** Arguments of `serve`. */
  readonly args: readonly string[];
  /** The hostile tenant's project, if the attack needs one. */
  project(sizes: AttackSizes): ProvisionedPart | null;
  /** Encoded for the wire. */
  requests(sizes: AttackSizes, project: ProvisionedProject | undefined): readonly string[];
}

export const attackSizes: AttackSizes = {
  chunks: 950_000,
  pages: 5000,
  flags: 10_000,
  largeFlags: 60,
  cohorts: 40_000,
};
export const quickAttackSizes: AttackSizes = {
  chunks: 1000,
  pages: 50,
  flags: 300,
  largeFlags: 3,
  cohorts: 400,
};

export const hostileProject = 'hostile';
export const quietProject = 'quiet';
export const quietFlag = 'quiet 0';
/** Enough flags for a list of several chunks. */
const quietFlags = 1000;
export const quietToken = 'quiet-read';
export const quietOwner = {
  name: 'Owner',
  email: 'owner@quiet.example',
  role: 'owner',
  password: 'correct horse battery',
} as const;
const tokens = [{ name: 'hostile-write', permission: 'write' }] as const;
const cohortChars = 20;

function secretOf(project: ProvisionedProject | undefined): string {
  const secret = project?.tokens['hostile-write']?.secret;
  if (secret === undefined) throw new Error('the hostile tenant has no token');
  return secret;
}

function cohortsOf(kind: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_unused, index) => `${kind}-${index}`.padEnd(cohortChars, '.'));
}

/** @returns a request for each of these lists of cohorts, all for the same flag */
function patchesOf(
  project: ProvisionedProject | undefined,
  lists: readonly (readonly string[])[],
): readonly string[] {
  const flag = project?.flags['large 0'] ?? '';
  return lists.map((cohorts) => patchRequest(`/api/v1/flags/${flag}`, secretOf(project), { cohorts }));
}

const pipeline = {
  clients: 1,
  isReading: true,
  isWriting: true,
  args: [],
  project: (): ProvisionedPart => ({
    name: hostileProject,
    tokens: [...tokens],
    flags: [{ name: 'large 0', enabled: true }],
  }),
} as const;

const anonymous = { isReading: false, isWriting: false, args: [], project: () => null } as const;

/** @param clients number of clients, each of which evaluates the flags one after another */
function coldFlags(id: string, clients: number): Attack {
  return {
    id,
    title: `${clients} anonymous clients evaluate a tenant's large flags, which exceed the cache`,
    clients,
    isReading: true,
    isWriting: false,
    args: ['--cache-bytes', '32MiB'],
    project: ({ largeFlags, cohorts }) => ({
      name: hostileProject,
      flags: Array.from({ length: largeFlags }, (_unused, index) => ({
        name: `large ${index}`,
        enabled: true,
        cohorts: [...cohortsOf(`${index}`, cohorts)],
      })),
    }),
    requests: (_sizes, project) =>
      Object.values(project?.flags ?? {}).map((id) => getRequest(`/v1/flags/${id}?cohort=absent`)),
  };
}

export const attacks: readonly Attack[] = [
  {
    ...anonymous,
    id: 'tiny-chunks',
    title: 'Anonymous clients send bodies in chunks of one byte',
    clients: 24,
    requests: ({ chunks }) => [
      `POST /api/v1/flags HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(chunks)}`,
    ],
  },
  {
    ...anonymous,
    id: 'unread-pages',
    title: 'Anonymous clients request thousands of pages of 60 KiB, and read nothing',
    clients: 20,
    requests: ({ pages }) => [getRequest('/docs').repeat(pages)],
  },
  {
    ...anonymous,
    id: 'sign-ins',
    title: "Anonymous clients sign in with wrong passwords, half of them to the Owner's account",
    clients: 64,
    isReading: true,
    requests: () =>
      [quietOwner.email, 'nobody@quiet.example'].map((email) => {
        const body = JSON.stringify({ email, password: 'a wrong password' });
        const head = `Host: bench\r\nX-Burgee-Console: 1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: ${body.length}`;
        return `POST /console/api/session HTTP/1.1\r\n${head}\r\n\r\n${body}`;
      }),
  },
  coldFlags('cold-flags', 120),
  coldFlags('cold-flags-few', 8),
  {
    ...pipeline,
    id: 'large-changes',
    title: 'A pipeline alternates a flag between two long lists of cohorts',
    requests: ({ cohorts }, project) =>
      patchesOf(project, [cohortsOf('first', cohorts), cohortsOf('second', cohorts)]),
  },
  {
    ...pipeline,
    id: 'small-changes',
    title: 'A pipeline sends a long list of cohorts repeatedly, each time with a different last one',
    requests: ({ cohorts }, project) => {
      const kept = cohortsOf('kept', cohorts);
      return patchesOf(project, [
        [...kept, 'first'],
        [...kept, 'second'],
      ]);
    },
  },
  {
    id: 'unread-lists',
    title: "A tenant's clients request a long list of flags, and read nothing of it",
    clients: 68,
    isReading: false,
    isWriting: false,
    args: [],
    project: ({ flags }) => ({
      name: hostileProject,
      tokens: [...tokens],
      flags: Array.from({ length: flags }, (_unused, index) => ({ name: `flag ${index}`, enabled: true })),
    }),
    requests: (_sizes, project) => [getRequest('/api/v1/flags', secretOf(project))],
  },
];

/** The projects of an attack: the hostile tenant's, and another organisation's, whose requests are measured. */
export function projectsOf(attack: Attack, sizes: AttackSizes): readonly ProvisionedPart[] {
  const hostile = attack.project(sizes);
  const quiet: ProvisionedPart = {
    organisation: quietOrganisation,
    members: [quietOwner],
    name: quietProject,
    tokens: [{ name: quietToken, permission: 'read' }],
    flags: Array.from({ length: quietFlags }, (_unused, index) => ({
      name: `quiet ${index}`,
      enabled: true,
      trafficPercentage: 50,
    })),
  };
  return hostile === null ? [quiet] : [quiet, hostile];
}
