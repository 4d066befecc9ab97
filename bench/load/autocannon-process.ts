/**
 * Makes a closed loop with autocannon. autocannon clones the requests of its options for each connection, which takes
 * minutes for long lists, but a client's `setRequests` takes them without a copy. So each connection gets its own
 * window of the list; the windows follow one another and together are the list. Each request is encoded once, unless
 * there are more connections than requests.
 *
 * This program takes latencies and counts itself: autocannon's are in whole ms and over whole sampling periods, and it
 * does not know the expected status.
 */
import autocannon from 'autocannon';
import { AnswerTally } from './answer-tally.ts';
import type { ClosedLoopLoad, ClosedLoopResult } from './closed-loop-load.ts';
import { LatencyRecorder } from './latency-histogram.ts';
import { answerLoad } from './load-program.ts';
import type { BenchRequest, RequestList } from './request-list.ts';

const timeoutSeconds = 10;
/** How often autocannon checks whether the time is over. */
const sampleMs = 100;

interface Counts {
  readonly tally: AnswerTally;
  readonly latencies: LatencyRecorder;
}

function windowOf(
  { requests }: RequestList,
  connection: number,
  connections: number,
): readonly BenchRequest[] {
  const start = Math.floor((connection * requests.length) / connections);
  const end = Math.floor(((connection + 1) * requests.length) / connections);
  return requests.slice(start, Math.max(end, start + 1));
}

function encodable({ path, method, body }: BenchRequest): autocannon.Request {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return { path, method: method ?? 'GET', headers, ...(body === undefined ? {} : { body }) };
}

/**
 * Without pipelining, a connection's answer belongs to its latest request; a request whose answer it did not await
 * counts as unanswered.
 */
function attend(client: autocannon.Client, requests: readonly BenchRequest[], counts: Counts): void {
  let issued = 0;
  let isWaiting = false;
  client.setRequests(requests.map(encodable));
  client.addListener('request', () => {
    if (isWaiting) counts.tally.countUnanswered(1);
    isWaiting = true;
    issued += 1;
  });
  client.on('response', (status, _bytes, latencyMs) => {
    const request = requests[(issued - 1) % requests.length];
    if (request !== undefined) counts.tally.countAnswer(request, status);
    counts.latencies.recordMs(latencyMs);
    isWaiting = false;
  });
}

async function run({ list, connections, seconds }: ClosedLoopLoad): Promise<ClosedLoopResult> {
  const counts: Counts = { tally: new AnswerTally(), latencies: new LatencyRecorder() };
  let next = 0;
  const { errors, elapsedSeconds } = await runAutocannon({
    url: list.origin,
    connections,
    duration: seconds,
    timeout: timeoutSeconds,
    headers: { ...list.headers },
    sampleInt: sampleMs,
    setupClient: (client) => {
      attend(client, windowOf(list, next, connections), counts);
      next += 1;
    },
  });
  return summarise(list, counts, errors, elapsedSeconds);
}

/** autocannon's own duration includes the time for encoding the requests. */
function runAutocannon(
  options: autocannon.Options,
): Promise<{ readonly errors: number; readonly elapsedSeconds: number }> {
  return new Promise((resolve, reject) => {
    let startedMs = 0;
    const instance = autocannon(options, (error, result) => {
      const elapsedSeconds = (performance.now() - startedMs) / 1000;
      if (error) reject(error);
      else resolve({ errors: result.errors, elapsedSeconds });
    });
    instance.on('start', () => {
      startedMs = performance.now();
    });
  });
}

function summarise(
  list: RequestList,
  { tally, latencies }: Counts,
  errors: number,
  elapsedSeconds: number,
): ClosedLoopResult {
  const requests = latencies.count;
  const problem = tally.problem(requests);
  const problems = problem === null ? [] : [problem];
  if (errors > 0) problems.push(`${errors} connection errors or timeouts`);
  if (requests === 0) problems.push('no request was answered');
  if (problems.length > 0) throw new Error(`autocannon at ${list.origin}: ${problems.join(', ')}`);
  return {
    requests,
    requestsPerSecond: requests / elapsedSeconds,
    meanUs: latencies.meanUs,
    p50Us: latencies.percentileUs(50),
    p99Us: latencies.percentileUs(99),
  };
}

await answerLoad(run);
