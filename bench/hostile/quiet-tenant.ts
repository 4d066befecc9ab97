import { setTimeout } from 'node:timers/promises';
import { getRequest, WireConnection } from '../../test/campaigns/wire-connection.ts';
import { ConsoleClient } from '../../test/console/console-client.ts';
import type { Lifetime } from '../../test/support/lifetime.ts';
import { percentile } from '../measure/percentile.ts';
import type { Provisioned } from '../servers/bench-directory.ts';
import { quietFlag, quietOwner, quietProject, quietToken } from './attacks.ts';

/** A client that waits longer for an answer has given up. */
const answerMaxMs = 5000;

/** Requests of one kind, and their outcomes. */
export class Asked {
  readonly #durationsMs: number[] = [];
  #answered = 0;

  note(status: number, durationMs: number): void {
    this.#durationsMs.push(durationMs);
    if (status === 200) this.#answered += 1;
  }

  /** The percentage of requests that were answered with 200. */
  get answeredPercent(): number {
    return (100 * this.#answered) / this.#durationsMs.length;
  }

  /** @param part 0 to 1; 1 is the slowest request */
  percentileMs(part: number): number {
    return part === 1 ? Math.max(...this.#durationsMs) : percentile(this.#durationsMs, part);
  }
}

/** The tenant whose requests are measured. */
export class QuietTenant {
  readonly #port: number;
  readonly #evaluation: string;
  /** A list of flags, one by name, a page of the console, the audit log. */
  readonly #readings: readonly string[];

  private constructor(port: number, evaluation: string, readings: readonly string[]) {
    this.#port = port;
    this.#evaluation = evaluation;
    this.#readings = readings;
  }

  /** @param port of the server, where it signs in */
  static async signIn(t: Lifetime, port: number, { projects }: Provisioned): Promise<QuietTenant> {
    const quiet = projects[quietProject];
    const flag = quiet?.flags[quietFlag];
    const secret = quiet?.tokens[quietToken]?.secret;
    if (quiet === undefined || flag === undefined || secret === undefined)
      throw new Error('the quiet tenant was not provisioned');
    const console = new ConsoleClient(t, { port });
    const { email, password } = quietOwner;
    const { status, text } = await console.send('POST', '/session', { email, password });
    if (status !== 200) throw new Error(`the quiet tenant cannot sign in: ${status} ${text}`);
    const cookie = [...console.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = (path: string): string =>
      `GET /console/api${path} HTTP/1.1\r\nHost: bench\r\nCookie: ${cookie}\r\n\r\n`;
    return new QuietTenant(port, getRequest(`/v1/flags/${flag}?targetingKey=user-1`), [
      getRequest('/api/v1/flags', secret),
      getRequest(`/api/v1/flags?name=${encodeURIComponent(quietFlag)}`, secret),
      page(`/projects/${quiet.id}/flags`),
      page('/audit'),
    ]);
  }

  evaluate(pauseMs: number, until: number): Promise<Asked> {
    return this.#ask([this.#evaluation], pauseMs, until);
  }

  read(pauseMs: number, until: number): Promise<Asked> {
    return this.#ask(this.#readings, pauseMs, until);
  }

  /** Sends the requests one after another, with a pause between two, until the time is over. */
  async #ask(requests: readonly string[], pauseMs: number, until: number): Promise<Asked> {
    const asked = new Asked();
    let connection: WireConnection | null = null;
    for (let count = 0; performance.now() < until; count += 1) {
      const startedAt = performance.now();
      const answered = await askOnce(this.#port, connection, requests[count % requests.length] ?? '');
      asked.note(answered.status, performance.now() - startedAt);
      connection = answered.connection;
      await setTimeout(pauseMs);
    }
    connection?.destroy();
    return asked;
  }
}

/** @returns the answer's status; 0 without one */
async function askOnce(
  port: number,
  kept: WireConnection | null,
  request: string,
): Promise<{ readonly status: number; readonly connection: WireConnection | null }> {
  const given = new AbortController();
  const late = setTimeout(answerMaxMs, 0, { signal: given.signal }).catch(() => 0);
  let opened = kept?.isLost === true ? null : kept;
  const answer = async (): Promise<number> => {
    opened ??= await WireConnection.open(port);
    return (await opened.ask(request)).status;
  };
  const status = await Promise.race([answer().catch(() => 0), late]);
  given.abort();
  if (status > 0) return { status, connection: opened };
  opened?.destroy();
  return { status, connection: null };
}
