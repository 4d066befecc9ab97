import type { FlagState } from '../../../src/domain/flag/flag.ts';
import { newTokenSecret } from '../../../src/domain/token/token-secret.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { PreparedStore } from '../../console/prepared-store.ts';
import {
  audienceOf,
  auditEntryOf,
  creationOf,
  flagChangeOf,
  flagOf,
  projectOf,
  tokenOf,
} from '../../storage/support/records.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export interface WorkSizes {
  readonly flagsOfList: number;
  /** Flags with a megabyte of cohorts each, together more than the flag cache holds. */
  readonly longFlags: number;
  readonly largeEntries: number;
}

export interface Installation {
  readonly dataDir: string;
  /** A short flag that no work uses. */
  readonly flagId: string;
  /** The works by name: the requests, encoded for the wire, that some of a worker's clients repeat. */
  readonly works: Readonly<Record<string, readonly string[]>>;
}

const cohortCount = 50_000;
const patchedCohorts = 40_000;

function textsOf(place: string, count = cohortCount): string[] {
  return Array.from({ length: count }, (_, index) => `${place}-${index}`.padEnd(20, '.'));
}

function statesOf(change: Partial<FlagState>): ReadonlyMap<number, FlagState> {
  const state = { enabled: true, trafficPercentage: 50, cohortOverride: null, audienceId: null };
  return new Map([[0, { ...state, ...change }]]);
}

function get(path: string, ...headers: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
}

function patch(flagId: string, authorization: string, body: unknown): string {
  const text = JSON.stringify(body);
  const head = [
    `PATCH /api/v1/flags/${flagId} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${authorization}`,
  ];
  return [...head, 'Content-Type: application/json', `Content-Length: ${text.length}`, '', text].join('\r\n');
}

/** Writes a store with records of every long kind, before a server opens it. */
export async function installWorks(t: Lifetime, sizes: WorkSizes): Promise<Installation> {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const { organisation, project } = prepared;
  const authorization = `Authorization: ${prepared.addToken()}`;
  const cookie = `Cookie: burgee_session=${prepared.addSession(prepared.addMember('owner'))}`;
  for (let index = 0; index < sizes.flagsOfList; index += 1) {
    const name = `flag ${String(index).padStart(5, '0')}`;
    prepared.add([flagChangeOf(null, flagOf(project.id, { name, cohorts: [name], states: statesOf({}) }))]);
  }
  const long = projectOf(organisation.id, { name: 'long' });
  const secret = newTokenSecret('burgee', crypto.getRandomValues(new Uint8Array(32)));
  const token = tokenOf(long.id, { secretHash: hashSecret(secret.slice('burgee_'.length)) });
  prepared.add([creationOf('project', long), creationOf('token', token)]);
  const [cold, applied]: [string[], string[]] = [[], []];
  for (let index = 0; index < sizes.longFlags; index += 1) {
    const flag = flagOf(long.id, {
      name: `f${index}`,
      states: statesOf({ cohortOverride: textsOf(`c${index}`) }),
    });
    const rules = [{ attribute: 'plan', values: textsOf(`p${index}`) }];
    const audience = audienceOf(long.id, { name: `a${index}`, rules });
    const other = flagOf(long.id, { name: `g${index}`, states: statesOf({ audienceId: audience.id }) });
    const changes = [flagChangeOf(null, flag), flagChangeOf(null, other)];
    prepared.add([creationOf('audience', audience), ...changes]);
    cold.push(get(`/v1/flags/${flag.id}?cohort=absent`));
    applied.push(get(`/v1/flags/${other.id}?plan=absent&targetingKey=a`));
  }
  const patched = flagOf(long.id, { name: 'patched', states: statesOf({}) });
  prepared.add([flagChangeOf(null, patched)]);
  for (let at = 1; at <= sizes.largeEntries; at += 1) {
    const changes = [{ field: 'cohorts', before: textsOf('b', 10_000), after: textsOf('a', 10_000) }];
    prepared.add([{ kind: 'audit', entry: auditEntryOf(organisation.id, { at, changes }) }]);
  }
  for (let at = sizes.largeEntries + 1; at <= 1000; at += 1) {
    const changes = [{ field: 'enabled', before: true, after: false }];
    prepared.add([{ kind: 'audit', entry: auditEntryOf(organisation.id, { at, changes }) }]);
  }
  await prepared.write(dataDir);
  const bearer = `Bearer ${secret}`;
  return {
    dataDir,
    flagId: prepared.flag.id,
    works: {
      'flags with a megabyte of cohorts': cold,
      'flags with a megabyte of audience': applied,
      'lists of flags': [get('/api/v1/flags', authorization)],
      'a flag by its name': [get('/api/v1/flags?name=flag%2000077', authorization)],
      'evaluations of a project': [get(`/v1/flags/project/${project.id}?cohort=absent`)],
      "the console's lists": [
        get(`/console/api/projects/${project.id}/flags`, cookie),
        get(`/console/api/projects/${project.id}/audiences`, cookie),
      ],
      'the audit log': [
        get('/console/api/audit', cookie),
        get('/console/api/audit/export?format=ndjson', cookie),
        get('/console/api/audit/export?format=csv', cookie),
      ],
      'bodies of a megabyte': [
        patch(patched.id, bearer, { cohorts: textsOf('x', patchedCohorts), unknown: true }),
        patch(patched.id, bearer, { cohorts: textsOf('y', patchedCohorts).map((text) => [text]) }),
      ],
    },
  };
}
