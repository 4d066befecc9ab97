import { randomBytes } from 'node:crypto';
import { ensurePostgres } from './find-postgres.ts';
import { type HalfServer, userRequests } from './half-server.ts';
import { findPeerNode, versionOfPeer } from './peer-packages.ts';
import { type Adapter, startAdapter } from './start-adapter.ts';

interface Listening {
  readonly port: number;
}

/** Both of Unleash's servers answer with the list of flags that are on. */
function isHalfOn(body: string): boolean {
  const { toggles } = JSON.parse(body) as { readonly toggles: readonly { readonly name: string }[] };
  return toggles.some(({ name }) => name === 'half');
}

function commandOf(name: string, args: string): string {
  return `NODE_ENV=production node ${findPeerNode().version} bench/peers/adapters/${name}.mjs ${args}`;
}

/** Starts `@unleash/proxy`. @throws Error if it cannot be started */
export async function startUnleashProxy(users: number): Promise<HalfServer> {
  const key = randomBytes(16).toString('hex');
  const adapter = await startAdapter<Listening>('unleash-proxy', [key], findPeerNode().path);
  return {
    name: '@unleash/proxy',
    what: `@unleash/proxy ${versionOfPeer('@unleash/proxy')}: ${commandOf('unleash-proxy', 'KEY')}; GET /proxy?userId=USER`,
    pid: adapter.pid,
    list: {
      origin: `http://127.0.0.1:${adapter.facts.port}`,
      requests: userRequests('/proxy?userId=', users),
      headers: { authorization: key },
    },
    isOn: isHalfOn,
    stop: () => adapter.stop(),
  };
}

/** Starts PostgreSQL and `unleash-server` on it. @throws Error if one of them cannot be started */
export async function startUnleashServer(users: number, note: (text: string) => void): Promise<HalfServer> {
  const node = findPeerNode();
  const programs = await ensurePostgres(note);
  const postgres = await startAdapter<{ readonly socketDirectory: string }>('postgres', [
    programs,
    'unleash',
  ]);
  const token = `*:development.${randomBytes(24).toString('hex')}`;
  note('unleash-server is making its database');
  const unleash = await startAdapter<Listening>(
    'unleash-server',
    [postgres.facts.socketDirectory, token],
    node.path,
  ).catch(async (fault: unknown) => {
    await postgres.stop();
    throw fault;
  });
  return describeUnleashServer(programs, token, users, unleash, postgres);
}

function describeUnleashServer(
  programs: string,
  token: string,
  users: number,
  unleash: Adapter<Listening>,
  postgres: Adapter<unknown>,
): HalfServer {
  const command = commandOf('unleash-server', 'SOCKET-DIRECTORY TOKEN');
  return {
    name: 'unleash-server',
    what:
      `unleash-server ${versionOfPeer('unleash-server')}, its rate limits raised to 1,000,000,000 a minute: ${command}, ` +
      `with ${programs}/postgres -D DIR; GET /api/frontend?userId=USER`,
    pid: unleash.pid,
    list: {
      origin: `http://127.0.0.1:${unleash.facts.port}`,
      requests: userRequests('/api/frontend?userId=', users),
      headers: { authorization: token },
    },
    isOn: isHalfOn,
    stop: async () => {
      await unleash.stop();
      await postgres.stop();
    },
  };
}
