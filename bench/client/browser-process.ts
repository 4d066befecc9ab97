import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeableFlag, patchRequest } from '../changes/changing-flag.ts';
import { KeptConnection } from '../changes/kept-connection.ts';
import { ensureChange, makeChange } from '../changes/make-change.ts';
import { LatencyRecorder } from '../load/latency-histogram.ts';
import { answerLoad } from '../load/load-program.ts';
import { encodeRequests } from '../load/request-bytes.ts';
import type { BrowserProbe } from './probe-browser.ts';
import type { Visibility } from './probe-visible.ts';

/** The least time between two changes of an environment: the service sends its browsers at most one event a second. */
const quietMs = 1100;
/** A change whose event has not come after this time has failed. */
const eventWithinMs = 10_000;

/** A page that follows the events of one environment. */
class Browser {
  readonly flag: ChangeableFlag;
  readonly question: Buffer;
  isOn = false;
  eventAtMs = Number.NEGATIVE_INFINITY;
  /** Called with each event. */
  onEvent: () => void = () => undefined;
  readonly #request: ClientRequest;

  private constructor(request: ClientRequest, flag: ChangeableFlag, question: Buffer) {
    this.#request = request;
    this.flag = flag;
    this.question = question;
  }

  /** Resolves with the first event of the stream. */
  static async open({ origin, projectId, flag }: BrowserProbe, environment: string): Promise<Browser> {
    const base = `/projects/${projectId}/${environment}/ofrep/v1`;
    const body = JSON.stringify({ context: { targetingKey: 'user-42' } });
    const asked = { method: 'POST', path: `${base}/evaluate/flags`, body, status: 200 } as const;
    const [question] = encodeRequests({ origin, requests: [asked] });
    if (question === undefined) throw new Error('a request was not encoded');
    const request = get(`${origin}${base}/events`, { agent: false });
    const browser = new Browser(request, { ...flag, environment }, question);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`events were answered ${response.statusCode}`);
    const first = browser.nextEvent();
    response.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('data:')) browser.onEvent();
    });
    await first;
    return browser;
  }

  nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.onEvent = resolve;
    });
  }

  close(): void {
    this.#request.destroy();
  }
}

/** Patches a flag in one environment after another, and waits until its browser has received an event and fetched the flags. */
async function probe(asked: BrowserProbe): Promise<Visibility> {
  const { origin, environments, seconds } = asked;
  const [writer, reader] = await Promise.all([KeptConnection.open(origin), KeptConnection.open(origin)]);
  const make = (flag: ChangeableFlag, state: object) => makeChange(writer, patchRequest(origin, flag, state));
  const browsers: Browser[] = [];
  for (const environment of environments) {
    // An earlier round may have left the flag on.
    const off = { enabled: false, trafficPercentage: 100 };
    await ensureChange(writer, patchRequest(origin, { ...asked.flag, environment }, off));
    browsers.push(await Browser.open(asked, environment));
  }
  await sleep(quietMs);
  const recorder = new LatencyRecorder();
  const endAtMs = performance.now() + seconds * 1000;
  for (let change = 0; change === 0 || performance.now() < endAtMs; change += 1) {
    const browser = browsers[change % browsers.length] as Browser;
    await sleep(Math.max(0, browser.eventAtMs + quietMs - performance.now()));
    recorder.recordMs(await changeSeen(browser, reader, make));
    await sleep(quietMs / browsers.length);
  }
  for (const browser of browsers) browser.close();
  writer.close();
  reader.close();
  return { p50Us: recorder.percentileUs(50), p99Us: recorder.percentileUs(99), histogram: recorder.encode() };
}

/** @returns milliseconds from the acknowledgement of a change to the answer that shows it */
async function changeSeen(
  browser: Browser,
  reader: KeptConnection,
  make: (flag: ChangeableFlag, state: object) => Promise<void>,
): Promise<number> {
  browser.isOn = !browser.isOn;
  const fetched = browser.nextEvent().then(() => {
    browser.eventAtMs = performance.now();
    return reader.ask(browser.question);
  });
  await make(browser.flag, { enabled: browser.isOn });
  const acknowledgedAtMs = performance.now();
  const answer = await Promise.race([fetched, sleep(eventWithinMs, null, { ref: true })]);
  if (answer === null) throw new Error(`a browser got no event of a change within ${eventWithinMs} ms`);
  const seenAtMs = performance.now();
  if (!answer.body.includes(`"value":${browser.isOn}`)) throw new Error('the flags do not show the change');
  // The event may arrive before the acknowledgement.
  return Math.max(0, seenAtMs - acknowledgedAtMs);
}

await answerLoad(probe);
process.exit(0);
