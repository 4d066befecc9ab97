import { type Agent, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { AnswerTally } from './answer-tally.ts';
import { describeRequest } from './request-bytes.ts';
import type { BenchRequest, RequestList } from './request-list.ts';

const probesMax = 200;
const answerTimeoutMs = 30_000;
/** Lists whose answers were right: later rounds do not probe them again. */
const probedLists = new WeakSet<RequestList>();

/**
 * Sends up to 200 different requests of a list, one after another: some spread evenly over the list, and the first of
 * each expected status. Each list is probed only once. This is for generators that do not see every status. Requests
 * that change something do so here too.
 *
 * @throws when a status is not the expected one, with the count and the first example, or when no answer comes
 */
export async function probeStatuses(list: RequestList): Promise<void> {
  if (probedLists.has(list)) return;
  const tally = new AnswerTally();
  const probes = chooseProbes(list.requests);
  const isSecure = list.origin.startsWith('https:');
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  try {
    for (const probe of probes) tally.countAnswer(probe, await ask(list, probe, agent));
  } finally {
    agent.destroy();
  }
  const problem = tally.problem(probes.length);
  if (problem !== null) throw new Error(`${list.origin} answers wrongly before the load: ${problem}`);
  probedLists.add(list);
}

function chooseProbes(requests: readonly BenchRequest[]): readonly BenchRequest[] {
  const chosen = new Map<string, BenchRequest>();
  const add = (request: BenchRequest | undefined): void => {
    if (request !== undefined) chosen.set(`${describeRequest(request)}\n${request.body ?? ''}`, request);
  };
  const count = Math.min(probesMax, requests.length);
  for (let index = 0; index < count; index += 1) add(requests[Math.floor((index * requests.length) / count)]);
  for (const status of new Set(requests.map((request) => request.status)))
    add(requests.find((request) => request.status === status));
  return [...chosen.values()];
}

function ask({ origin, headers }: RequestList, probe: BenchRequest, agent: Agent): Promise<number> {
  const send = origin.startsWith('https:') ? requestHttps : requestHttp;
  const own = probe.body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = send(new URL(probe.path, origin), {
      method: probe.method ?? 'GET',
      headers: { ...headers, ...own },
      agent,
      timeout: answerTimeoutMs,
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${answerTimeoutMs} ms`)));
    sent.on('error', (error) =>
      reject(new Error(`${describeRequest(probe)} at ${origin}: ${error.message}`, { cause: error })),
    );
    sent.on('response', (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
      response.resume();
    });
    sent.end(probe.body);
  });
}
