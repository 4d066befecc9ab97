import type { Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../../support/booted-server.ts';
import type { Settings } from '../../support/burgee-command.ts';
import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../../support/http-client.ts';
import { idOf, type ProvisionedProject, projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const attributes = { attribute: 'plan', values: ['pro', 'team', '42', 'true'] };

const shop = {
  name: 'shop',
  environments: ['production', 'staging', 'ofrep'],
  audiences: [{ name: 'paying', rules: [attributes, { attribute: 'region', values: ['eu', '€'] }] }],
  flags: [
    { name: 'checkout', environments: { production: { enabled: true, trafficPercentage: 50 } } },
    { name: 'search/new?', cohorts: ['beta', 'vip'], environments: { production: { enabled: true } } },
    { name: 'für 50%', environments: { production: { enabled: true, trafficPercentage: 100 } } },
    {
      name: 'billing',
      environments: {
        production: { enabled: true, trafficPercentage: 100, audience: 'paying' },
        staging: { enabled: true, trafficPercentage: 20, cohorts: ['own'] },
        ofrep: { enabled: true, trafficPercentage: 100 },
      },
    },
    { name: '100%', environments: { production: { enabled: true, trafficPercentage: 100 } } },
    { name: 'dark', environments: { production: { enabled: false, trafficPercentage: 100 } } },
  ],
  tokens: [{ name: 'ci', permission: 'write' }],
};

const solo = {
  name: 'solo',
  flags: [
    { name: 'banner', enabled: true, trafficPercentage: 100, cohorts: ['beta'] },
    { name: 'half', enabled: true, trafficPercentage: 50 },
  ],
  tokens: [{ name: 'ci', permission: 'write' }],
};

const closed = {
  name: 'closed',
  evaluationAccess: false,
  flags: [{ name: 'secret', enabled: true, trafficPercentage: 100 }],
};

export interface OfrepService {
  readonly server: BootedServer;
  readonly client: HttpClient;
  readonly shop: ProvisionedProject;
  readonly solo: ProvisionedProject;
  readonly closed: ProvisionedProject;
  /** Asks as a provider does. @param base the path of its base URL */
  ask(base: string, key: string | null, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Applies changes of a project, as an operator does. */
  apply(project: object): Promise<unknown>;
  /** Changes a flag, or creates one, by the Management API. */
  manage(project: ProvisionedProject, method: string, path: string, body: unknown): Promise<Answer>;
}

export interface Answer extends ClientResponse {
  // biome-ignore lint/suspicious/noExplicitAny: a body is compared whole, or by fields that a test knows
  readonly json: any;
}

/** A server with a project of environments, one without, and one whose Evaluation API is off. */
export async function startOfrep(t: Test, settings: Settings = {}): Promise<OfrepService> {
  const dataDir = temporaryDirectory(t);
  const apply = (...projects: object[]) =>
    provision(dataDir, temporaryDirectory(t), {
      organisations: [{ name: 'Acme', plan: 'enterprise', projects }],
    });
  const provisioned = await apply(shop, solo, closed);
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, ...settings } });
  const client = createHttpClient(t, { port: server.port, connectionsMax: 8 });
  return {
    server,
    client,
    shop: projectOf(provisioned, 'shop'),
    solo: projectOf(provisioned, 'solo'),
    closed: projectOf(provisioned, 'closed'),
    apply,
    ask: async (base, key, body = {}, headers = {}) => {
      const path = `${base}/ofrep/v1/evaluate/flags${key === null ? '' : `/${encodeURIComponent(key)}`}`;
      return withJson(
        await client.send({ method: 'POST', path, headers: jsonHeaders(headers), body: textOf(body) }),
      );
    },
    manage: async (project, method, path, body) => {
      const headers = jsonHeaders(bearer(tokenOf(project, 'ci').secret));
      return withJson(await client.send({ method, path: `/api/v1${path}`, headers, body: textOf(body) }));
    },
  };
}

function jsonHeaders(headers: Record<string, string>): Record<string, string> {
  return { 'content-type': 'application/json', ...headers };
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function withJson(response: ClientResponse): Answer {
  return { ...response, json: response.text === '' ? null : JSON.parse(response.text) };
}

export function flagOf(project: ProvisionedProject, name: string): string {
  return idOf(project.flags, name);
}
