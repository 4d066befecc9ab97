import { halfFlagProject } from './flag-fixtures.ts';
import { oneFlagRequests } from './one-flag-requests.ts';
import { checkSameAnswers, readAnswer } from './same-answers.ts';
import type { ServerProcess } from './server-process.ts';
import { startBurgee } from './start-burgee.ts';
import { startBareServer, startInGatewayServer, startNodeHttpServer } from './start-limits.ts';
import type { KeepServer } from './with-servers.ts';

const name = 'half';
const trafficPercentage = 50;
/** At 50 %, so many keys in a row without the flag mean that it is not evaluated. */
const keysTriedMax = 100;

/** A server that answers for the one flag, and what it is. */
export interface OneFlagServer {
  readonly name: string;
  readonly what: string;
  readonly server: ServerProcess;
}

/** Burgee with one flag at 50 %, and what it is compared with. All answer alike, to the byte, when the flag is on. */
export async function startOneFlagServers(
  keep: KeepServer,
): Promise<{ readonly flagId: string; readonly servers: readonly OneFlagServer[] }> {
  const burgee = await keep(startBurgee([halfFlagProject('bench')]));
  const id = burgee.provisioned.projects['bench']?.flags[name];
  if (id === undefined) throw new Error('the flag was not provisioned');
  const body = JSON.stringify({ id, name, enabled: true });
  const servers: readonly OneFlagServer[] = [
    { name: 'burgee', what: 'Burgee, started with its default settings', server: burgee },
    {
      name: 'bare',
      what: 'The limit: a constant answer of uWebSockets.js, with the same headers and as many bytes',
      server: await keep(startBareServer(body)),
    },
    {
      name: 'in-gateway',
      what: 'The same evaluation in the thread that has the sockets: the hop to an evaluator is what it saves',
      server: await keep(startInGatewayServer({ id, name, trafficPercentage })),
    },
    {
      name: 'node-http',
      what: `The same constant answer by node:http, Node ${process.versions.node}`,
      server: await keep(startNodeHttpServer(body)),
    },
  ];
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
