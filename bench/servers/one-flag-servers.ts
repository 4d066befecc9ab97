import { halfFlagProject } from './flag-fixtures.ts';
import { oneFlagRequests } from './one-flag-requests.ts';
import { checkSameAnswers, readAnswer } from './same-answers.ts';
import type { ServerProcess } from './server-process.ts';
import { startBurgee } from './start-burgee.ts';
import { startBareServer, startBareThreads, startNodeHttpServer } from './start-limits.ts';
import type { KeepServer } from './with-servers.ts';
import { workerArguments } from './worker-arguments.ts';

const name = 'half';
const trafficPercentage = 50;
/** At 50 %, this many keys in a row without the flag mean that it is not evaluated. */
const keysTriedMax = 100;

/** A server that answers for the one flag, and its description. */
export interface OneFlagServer {
  readonly name: string;
  readonly what: string;
  readonly server: ServerProcess;
}

/** A server with a constant answer, to compare Burgee with. */
interface Limit extends Pick<OneFlagServer, 'name' | 'what'> {
  start(body: string): Promise<ServerProcess>;
}

export const bareLimit: Limit = {
  name: 'bare',
  what: 'The limit: a constant answer of uWebSockets.js, with the same headers and as many bytes',
  start: startBareServer,
};

export const nodeHttpLimit: Limit = {
  name: 'node-http',
  what: `The same constant answer by node:http, Node ${process.versions.node}`,
  start: startNodeHttpServer,
};

/** The limit of this many threads. */
export function bareThreadsLimit(threads: number): Limit {
  return {
    name: 'bare',
    what: `The limit: a constant answer of ${threads} bare uWebSockets.js threads, behind a main thread that accepts connections and hands them over`,
    start: (body) => startBareThreads(body, threads),
  };
}

/**
 * Starts Burgee with one flag at 50 %, and the servers to compare it with. While the flag is on, all send the same
 * bytes.
 */
export async function startOneFlagServers(
  keep: KeepServer,
  workers: number,
  limits: readonly Limit[],
): Promise<{ readonly flagId: string; readonly servers: readonly OneFlagServer[] }> {
  const burgee = await keep(startBurgee([halfFlagProject('bench')], { args: workerArguments(workers) }));
  const id = burgee.provisioned.projects['bench']?.flags[name];
  if (id === undefined) throw new Error('the flag was not provisioned');
  const body = JSON.stringify({ id, name, enabled: true });
  const what = `Burgee with ${workers} worker${workers === 1 ? '' : 's'}`;
  const servers: OneFlagServer[] = [{ name: 'burgee', what, server: burgee }];
  for (const { start, ...shown } of limits) servers.push({ ...shown, server: await keep(start(body)) });
  const origins = servers.map((one) => [one.name, one.server.origin] as const);
  await checkSameAnswers(await pathThatIsOn(burgee.origin, id), Object.fromEntries(origins));
  return { flagId: id, servers };
}

async function pathThatIsOn(origin: string, flagId: string): Promise<string> {
  for (const { path } of oneFlagRequests(flagId, keysTriedMax)) {
    const { body } = await readAnswer(origin, path);
    if ((JSON.parse(body.toString('utf8')) as { readonly enabled?: unknown }).enabled === true) return path;
  }
  throw new Error(`a flag at ${trafficPercentage} % is off for ${keysTriedMax} different keys`);
}
