import { Client } from 'pg';
import { LinkProxy } from '../../cluster/support/link-proxy.ts';
import { createCluster } from '../../cluster/support/three-nodes.ts';
import { password, person } from '../../console/console-fixture.ts';
import { type BootedServer, bootServer } from '../../support/booted-server.ts';
import type { Settings } from '../../support/burgee-command.ts';
import { eventually, within } from '../../support/expectations.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { findPostgres, type PostgresBinaries } from '../../support/postgres/postgres-binaries.ts';
import {
  type PostgresOptions,
  type PostgresServer,
  startStandby,
} from '../../support/postgres/postgres-server.ts';
import { projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { mountTmpfs, type SmallDisk } from '../disk/small-disk.ts';

/** How a node is booted: the campaign's canaries boot one with a fault. */
export type Boot = (t: Lifetime, dataDir: string, settings: Settings) => Promise<BootedServer>;

/** A place of a node: its directory and its network stay when the process ends. */
export interface NodePlace {
  readonly name: string;
  readonly dataDir: string;
  readonly link: LinkProxy;
  /** Null while no process runs. */
  server: BootedServer | null;
  /** A fault keeps it from answering at all: the process stands still, or was killed. */
  isSilent: boolean;
  /** A fault needs the process as it is: no other one may begin there. */
  isTaken: boolean;
  /** The disk of its own that the directory is on; null where it is on that of all. */
  readonly disk: NodeDisk | null;
}

/** A disk that a fault fills. */
export type NodeDisk = Pick<SmallDisk, 'directory' | 'fill' | 'free'>;

export const owner = { email: person('owner').email, password };
export const initialFlags = 12;
export const revocableTokens = 24;
/** Room for the space that a store keeps free for itself, and for what a run writes. */
const diskBytes = 96 * 1024 * 1024;

/** Three nodes, each with a link of its own to one PostgreSQL. */
export interface ClusterStage {
  /** The server that takes writes: another one after a promotion. */
  postgres: PostgresServer;
  /** Null where there is none, or where it was promoted. */
  standby: PostgresServer | null;
  readonly places: NodePlace[];
  readonly projectId: string;
  readonly flags: readonly string[];
  readonly secret: string;
  /** Of a token that may only read. */
  readonly reader: string;
  readonly tokens: readonly { readonly id: string; readonly secret: string }[];
  /** Adds a place with an empty directory, which no process serves yet. */
  addPlace(): Promise<NodePlace>;
  start(place: NodePlace): Promise<void>;
  /** @returns the rows of a query, asked directly and as superuser */
  ask<Row>(query: string): Promise<Row[]>;
}

export interface StageOptions {
  readonly settings?: Settings;
  readonly postgres?: PostgresOptions;
  readonly hasStandby?: boolean;
  /** Puts the third node on a small disk of its own, where mounting is allowed. */
  readonly hasSmallDisk?: boolean;
  readonly boot?: (place: number) => Boot;
}

const bootHonest: Boot = (t, dataDir, settings) => bootServer(t, { dataDir, settings });

export async function openStage(t: Lifetime, options: StageOptions = {}): Promise<ClusterStage> {
  const dataDir = temporaryDirectory(t);
  const known = await provision(dataDir, temporaryDirectory(t), document());
  const project = projectOf(known, 'harbour');
  const { binaries } = findPostgres();
  const settings = { BURGEE_ADMIN_PORT: '0', ...options.settings };
  const cluster = await createCluster(t, binaries as PostgresBinaries, dataDir, settings, {
    isDurable: true,
    ...options.postgres,
  });
  const standby =
    options.hasStandby === true
      ? await startStandby(t, binaries as PostgresBinaries, cluster.postgres, { isSynchronous: true })
      : null;
  const places: NodePlace[] = [];
  const stage: ClusterStage = {
    ...{ postgres: cluster.postgres, standby, places, projectId: project.id },
    flags: Object.values(project.flags),
    secret: tokenOf(project, 'ci').secret,
    reader: tokenOf(project, 'reader').secret,
    tokens: Array.from({ length: revocableTokens }, (_, index) => tokenOf(project, `spare ${index}`)),
    addPlace: () => addPlace(temporaryDirectory(t), null),
    start: async (place) => {
      const url = `postgres://burgee@127.0.0.1:${place.link.port}/postgres`;
      const boot = options.boot?.(places.indexOf(place)) ?? bootHonest;
      place.server = await boot(t, place.dataDir, { ...cluster.settings, BURGEE_CLUSTER_URL: url });
      place.isSilent = false;
    },
    ask: (query) => askPostgres(stage.postgres, query),
  };
  const addPlace = async (directory: string, disk: NodeDisk | null): Promise<NodePlace> => {
    const link = await LinkProxy.open(t, () => stage.postgres.port);
    const name = `node ${places.length}`;
    const place = { name, dataDir: directory, link, server: null, isSilent: false, isTaken: false, disk };
    places.push(place);
    return place;
  };
  await stage.start(await addPlace(dataDir, null));
  await stage.start(await addPlace(temporaryDirectory(t), null));
  const disk = options.hasSmallDisk === true ? mountTmpfs(t, diskBytes) : null;
  await stage.start(await addPlace(disk?.directory ?? temporaryDirectory(t), disk));
  return stage;
}

function document(): object {
  const flags = Array.from({ length: initialFlags }, (_, index) => ({
    name: `flag ${index}`,
    enabled: true,
    trafficPercentage: 0,
    cohorts: ['v0'],
  }));
  const spare = Array.from({ length: revocableTokens }, (_, index) => ({
    name: `spare ${index}`,
    permission: 'write',
  }));
  const reader = { name: 'reader', permission: 'read' };
  const tokens = [{ name: 'ci', permission: 'write' }, reader, ...spare];
  const project = { name: 'harbour', flags, tokens };
  const members = [person('owner')];
  return { organisations: [{ name: 'Harbour', plan: 'enterprise', members, projects: [project] }] };
}

async function askPostgres<Row>(postgres: PostgresServer, query: string): Promise<Row[]> {
  const client = new Client(postgres.url());
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}

export interface PatchAnswer {
  readonly status: number;
  readonly text: string;
  readonly tookMs: number;
}

/** Changes the cohorts of a flag through a node. */
export async function patchCohorts(
  { secret }: ClusterStage,
  { server }: NodePlace,
  flag: string,
  cohorts: readonly string[],
): Promise<PatchAnswer> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${server?.port}/api/v1/flags/${flag}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${secret}` },
    body: JSON.stringify({ cohorts }),
  });
  const text = await answer.text();
  return { status: answer.status, text, tookMs: performance.now() - startedAt };
}

const waitsMsMax = 5000;
/** What a server is asked that keeps nodes from being attached. */
const waitsOfPostgres = `select a.pid, a.application_name, a.backend_type, a.state, a.wait_event, left(a.query, 60) as query,
    a.xact_start::text, pg_blocking_pids(a.pid)::text as blocked_by, r.state as standby
  from pg_stat_activity a left join pg_stat_replication r using (pid) where a.wait_event is not null`;

/** @throws Error when a node that runs does not become current, with what its processes and those of PostgreSQL say */
export async function allAttached(stage: ClusterStage, withinMs: number): Promise<void> {
  for (const { name, server } of stage.places) {
    if (server === null) continue;
    const isAttached = async (): Promise<boolean> => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/v1/flags/${stage.flags[0]}`).catch(
        () => null,
      );
      await answer?.text();
      return answer?.status === 200 && answer.headers.get('burgee-state') === null;
    };
    await eventually(isAttached, withinMs, `${name} is attached`).catch(async (fault: Error) => {
      const said = server.lines.filter((line) => !line.includes('"msg":"request"'));
      const waits = await within(
        stage.ask<object>(waitsOfPostgres),
        waitsMsMax,
        () => 'it does not answer',
      ).catch((refusal: Error) => [refusal.message]);
      const inPostgres = [...waits.map((wait) => JSON.stringify(wait)), stage.standby?.log.slice(-2000)].join(
        '\n',
      );
      throw new Error(`${fault.message}: ${said.slice(-20).join('\n')}\nPostgreSQL:\n${inPostgres}`);
    });
  }
}
