import type { Test } from 'tap';
import type { SyncSnapshot } from '../../src/domain/sync/configuration.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type ProvisionedProject, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { AppliedConfiguration, openSync, type SyncReader } from './sync-client.ts';

const flagNames = ['first', 'second', 'third'];

/** @param flags of both projects */
export function syncDocument(
  flags: readonly object[] = flagNames.map((name) => ({ name })),
  plan = 'enterprise',
): object {
  const audiences = [
    { name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'te"am'] }] },
    { name: 'Beta', rules: [{ attribute: 'ring', values: ['1', '2'] }] },
  ];
  const tokens = [
    { name: 'write', permission: 'write' },
    { name: 'read', permission: 'read' },
    { name: 'staging', permission: 'read', environments: ['staging'] },
  ];
  return {
    organisations: [
      {
        name: 'Harbour',
        plan,
        projects: [
          { name: 'shop', environments: ['production', 'staging'], audiences, flags, tokens },
          { name: 'single', audiences, flags, tokens: tokens.slice(0, 2) },
        ],
      },
    ],
  };
}

/** A served project, and what tests ask of it. */
export class SyncSite {
  readonly server: BootedServer;
  readonly shop: ProvisionedProject;
  readonly single: ProvisionedProject;
  readonly client: HttpClient;
  readonly #test: Test;

  constructor(
    test: Test,
    server: BootedServer,
    { shop, single }: { shop: ProvisionedProject; single: ProvisionedProject },
  ) {
    this.#test = test;
    this.server = server;
    this.shop = shop;
    this.single = single;
    this.client = createHttpClient(test, { port: server.port });
  }

  secret(name = 'write', project = this.shop): string {
    return tokenOf(project, name).secret;
  }

  path(environment = 'production'): string {
    return `/sync/v1/${this.shop.id}/${environment}`;
  }

  get(path: string, secret: string | null, headers: Record<string, string> = {}): Promise<ClientResponse> {
    return this.client.send({ path, headers: { ...(secret === null ? {} : bearer(secret)), ...headers } });
  }

  async snapshot(path = this.path(), secret = this.secret()): Promise<SyncSnapshot> {
    const { status, text } = await this.get(path, secret);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text) as SyncSnapshot;
  }

  /** In the order of `AppliedConfiguration.content`. */
  async content(path = this.path(), secret = this.secret()): Promise<object> {
    const state = new AppliedConfiguration();
    state.replace(await this.snapshot(path, secret));
    return state.content;
  }

  stream(
    options: { path?: string; secret?: string; lastEventId?: string; state?: AppliedConfiguration } = {},
  ): Promise<SyncReader> {
    const { port } = this.server;
    return openSync(this.#test, { port, path: this.path(), secret: this.secret(), ...options });
  }

  async change(
    method: 'PATCH' | 'POST',
    path: string,
    body: object,
    secret = this.secret(),
  ): Promise<string> {
    const headers = { ...bearer(secret), 'Content-Type': 'application/json' };
    const { status, text } = await this.client.send({ method, path, headers, body: JSON.stringify(body) });
    if (status >= 300) throw new Error(text);
    return text;
  }

  patch(flag: string, body: object, environment = 'production'): Promise<string> {
    return this.change('PATCH', `/api/v1/flags/${flag}?env=${environment}`, body);
  }
}

export async function bootSync(
  test: Test,
  { settings = {}, document = syncDocument() }: { settings?: Settings; document?: object } = {},
): Promise<SyncSite> {
  const dataDir = temporaryDirectory(test);
  const provisioned = await provision(dataDir, temporaryDirectory(test), document);
  const server = await bootServer(test, { dataDir, settings: { ...unlimited, ...settings } });
  const projects = { shop: projectOf(provisioned, 'shop'), single: projectOf(provisioned, 'single') };
  return new SyncSite(test, server, projects);
}

/** The same project on another server. */
export function siteOn(test: Test, site: SyncSite, server: BootedServer): SyncSite {
  return new SyncSite(test, server, site);
}
