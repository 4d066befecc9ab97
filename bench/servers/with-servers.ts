import type { ServerProcess } from './server-process.ts';

/** Awaits a server and registers it to be stopped at the end: `const bare = await keep(startBareServer(body))`. */
export type KeepServer = <Server extends ServerProcess>(starting: Promise<Server>) => Promise<Server>;

/** Runs a function, and then stops the servers that it started, also when it fails. */
export async function withServers<Result>(run: (keep: KeepServer) => Promise<Result>): Promise<Result> {
  const kept: ServerProcess[] = [];
  try {
    return await run(async (starting) => {
      const server = await starting;
      kept.push(server);
      return server;
    });
  } finally {
    await Promise.all(kept.map((server) => server.stop()));
  }
}
