import type { Test } from 'tap';
import { oneProject } from '../lifecycle/lifecycle-fixture.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type ProxyKind, type ProxyOptions, type RunningProxy, startProxy } from './running-proxy.ts';

/** A Burgee behind a proxy. */
export interface ProxiedService {
  readonly server: BootedServer;
  readonly proxy: RunningProxy;
  readonly flag: string;
  readonly secret: string;
  /** A client of the proxy. @param localAddress of 127.0.0.0/8 */
  client(localAddress?: string): HttpClient;
}

export interface ProxiedOptions extends Omit<ProxyOptions, 'backendPort'> {
  readonly settings?: Settings;
  /** The project's flags; one flag that is off unless given. */
  readonly flags?: readonly object[];
}

/** The flag's cohort: a proxy that decoded or encoded it again would change it. */
export const oddCohort = 'a+b/c d%ü';

export async function startProxied(
  t: Test,
  kind: ProxyKind,
  options: ProxiedOptions,
): Promise<ProxiedService> {
  const dataDir = temporaryDirectory(t);
  const flags = [{ name: 'flag', enabled: true, cohorts: [oddCohort] }, ...(options.flags ?? [])];
  const document = oneProject('harbour', { flags, tokens: [{ name: 'ci', permission: 'write' }] });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const settings = { BURGEE_TRUSTED_PROXIES: '127.0.0.1', ...options.settings };
  const server = await bootServer(t, { dataDir, settings });
  const proxy = await startProxy(t, kind, { ...options, backendPort: server.port });
  const { port, certificate } = proxy;
  return {
    server,
    proxy,
    flag: idOf(project.flags, 'flag'),
    secret: tokenOf(project, 'ci').secret,
    client: (localAddress = '127.0.0.1') => createHttpClient(t, { port, certificate, localAddress }),
  };
}
