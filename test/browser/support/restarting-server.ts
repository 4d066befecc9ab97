import { type BootedServer, bootServer } from '../../support/booted-server.ts';
import { type Settings, spawnBurgee } from '../../support/burgee-command.ts';
import type { Lifetime } from '../../support/lifetime.ts';

/** Kills a server as a crash does, with no time to end anything. */
export async function killServer(server: BootedServer): Promise<void> {
  server.signal('SIGKILL');
  await server.ended;
}

/** Starts it again at the same address, over the same data or other. */
export function bootAgain(
  t: Lifetime,
  { dataDir, port }: Pick<BootedServer, 'dataDir' | 'port'>,
  settings: Settings = {},
): Promise<BootedServer> {
  const spawn: typeof spawnBurgee = (args, settings, before) =>
    spawnBurgee(
      args.map((arg, index) => (args[index - 1] === '--port' ? String(port) : arg)),
      settings,
      before,
    );
  return bootServer(t, { dataDir, spawn, settings });
}
