import type { Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { spawnBurgee } from '../support/burgee-command.ts';
import type { ProxiedService } from './proxied-service.ts';

/** Restarts a Burgee that has ended, on the port that the proxy uses. */
export function restart(t: Test, { server }: ProxiedService): Promise<BootedServer> {
  const { dataDir, port } = server;
  const settings = { ...unlimited, BURGEE_TRUSTED_PROXIES: '127.0.0.1' };
  return bootServer(t, {
    dataDir,
    settings,
    spawn: (arguments_, own) => spawnBurgee([...arguments_.slice(0, -1), String(port)], own),
  });
}
