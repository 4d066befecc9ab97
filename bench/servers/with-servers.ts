import type { ServerProcess } from './server-process.ts';

/** Waits for a server and keeps it, to be stopped at the end: `const bare = await keep(startBareServer(body))`. */
export type KeepServer = <Server extends ServerProcess>(starting: Promise<Server>) => Promise<Server>;

/** Runs something with the servers that it starts, and stops them however it ends. */
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
