import type { Test } from 'tap';
import { checkOptions } from '../../src/sdk/client-options.ts';
import { SyncedClient } from '../../src/sdk/synced-client.ts';
import { defaultTimings } from '../../src/sdk/timings.ts';
import { connectProvider, flagdPortOf } from '../flagd/flagd-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type ProvisionedProject, tokenOf } from '../support/provisioning.ts';

type Scalar = string | number | boolean;
/** A context of OpenFeature. A list gives several values; null is as good as absent. */
export type Context = Readonly<Record<string, Scalar | readonly Scalar[] | null>>;

/** Evaluates a flag, by id, for a context. */
export type EntryPoint = (flagId: string, context: Context) => Promise<boolean>;

export const entryPoints = [
  'API, one flag',
  'API, project',
  'OFREP, one flag',
  'OFREP, project',
  'burgee-client',
  'flagd in process',
] as const;
export type EntryPointName = (typeof entryPoints)[number];

interface Evaluated {
  readonly id: string;
  readonly enabled: boolean;
}

interface EvaluatedByOfrep {
  readonly value: boolean;
  readonly metadata: { readonly flagId: string };
}

/**
 * Boots a server and connects every way to evaluate one environment of a project.
 * @param token a token of the project, which may read the environment
 */
export async function connectEntryPoints(
  t: Test,
  dataDir: string,
  project: ProvisionedProject,
  environment: string | null,
  token: string,
): Promise<Readonly<Record<EntryPointName, EntryPoint>>> {
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_FLAGD_SYNC_PORT: '0' } });
  const http = createHttpClient(t, { port: server.port, connectionsMax: 8 });
  const { secret } = tokenOf(project, token);
  const flagSet = environment === null ? project.id : `${project.id}/${environment}`;

  const url = `http://127.0.0.1:${server.port}`;
  const options = checkOptions({ url, project: project.id, environment, token: secret });
  const client = new SyncedClient(options, defaultTimings);
  t.teardown(() => client.close());
  await client.start();
  const flagd = await connectProvider({
    port: await flagdPortOf(server),
    selector: `${flagSet},token=${secret}`,
  });
  t.teardown(() => flagd.close());

  async function getJson<Answer>(path: string, context?: Context): Promise<Answer> {
    const body = JSON.stringify({ context });
    const headers = { 'content-type': 'application/json' };
    const sent = context === undefined ? { path } : { method: 'POST', path, headers, body };
    const { status, text } = await http.send(sent);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text) as Answer;
  }
  const ofrep = `/projects/${flagSet}/ofrep/v1/evaluate/flags`;
  return {
    'API, one flag': async (flagId, context) =>
      (await getJson<Evaluated>(`/v1/flags/${flagId}?${queryOf(context, environment)}`)).enabled,
    'API, project': async (flagId, context) => {
      const path = `/v1/flags/project/${project.id}?${queryOf(context, environment)}`;
      const found = (await getJson<Evaluated[]>(path)).find(({ id }) => id === flagId);
      if (found === undefined) throw new Error('the list lacks the flag');
      return found.enabled;
    },
    'OFREP, one flag': async (flagId, context) =>
      (await getJson<EvaluatedByOfrep>(`${ofrep}/${flagId}`, context)).value,
    'OFREP, project': async (flagId, context) => {
      const { flags } = await getJson<{ flags: EvaluatedByOfrep[] }>(ofrep, context);
      const found = flags.find(({ metadata }) => metadata.flagId === flagId);
      if (found === undefined) throw new Error('the flags lack the flag');
      return found.value;
    },
    'burgee-client': async (flagId, context) => {
      const values = [true, false].map((fallback) => client.isOn(flagId, context, fallback));
      if (values[0] !== values[1]) throw new Error(`${flagId}: the fallback is given`);
      return values[0] === true;
    },
    'flagd in process': async (flagId, context) => {
      const { value, errorCode } = await flagd.client.getBooleanDetails(flagId, false, context as never);
      if (errorCode !== undefined) throw new Error(`${flagId}: ${errorCode}`);
      return value;
    },
  };
}

function queryOf(context: Context, environment: string | null): string {
  const { env: _, ...rest } = context;
  const all = environment === null ? context : { ...rest, env: environment };
  return Object.entries(all)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : value === null ? [] : [value]).map(
        (one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`,
      ),
    )
    .join('&');
}
