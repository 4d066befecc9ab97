import { runBurgee } from '../support/burgee-command.ts';
import { bearer, type ClientRequest, type ClientResponse, type HttpClient } from '../support/http-client.ts';
import { isInRolloutReference } from '../support/murmur3-reference.ts';
import type {
  CaseRequest,
  ConformanceCase,
  ExchangeStep,
  Expectation,
  Expected,
  HoldStep,
  Json,
  OperatorStep,
  RolloutStep,
  Step,
  TallyStep,
} from './conformance-case.ts';
import { findMismatch, memberOf } from './matchers.ts';
import { fillPlaceholders, fillString } from './placeholders.ts';
import { brokenInvariants } from './response-invariants.ts';

/** The service that a case runs against. */
export interface CaseEnvironment {
  readonly dataDir: string;
  readonly docsUrl: string;
  readonly placeholders: ReadonlyMap<string, Json>;
  /** Keys of the published vectors, added to every rollout. */
  readonly vectorKeys: readonly string[];
  /** A client with an address that no request has used yet. */
  freshClient(): HttpClient;
  /** Opens a connection, writes to it, and keeps it open. @returns a function that closes it */
  holdOpen(text: string): Promise<() => void>;
  /** Called with every `docs` link in an answer. */
  sawDocsLink(link: string): void;
}

/** Runs every step of a case. @returns the first problem; null if there is none */
export async function runCase(
  conformanceCase: ConformanceCase,
  environment: CaseEnvironment,
): Promise<string | null> {
  const run = new CaseRun(conformanceCase, environment);
  try {
    for (const [index, step] of conformanceCase.steps.entries()) {
      const problem = await run.step(step);
      if (problem !== null) return `step ${index + 1}: ${problem}`;
    }
    return null;
  } finally {
    run.close();
  }
}

/** The state of one running case: captured values, and a client for each address. */
class CaseRun {
  readonly #environment: CaseEnvironment;
  readonly #values: Map<string, Json>;
  readonly #clients = new Map<string, HttpClient>();
  readonly #releases: (() => void)[] = [];

  constructor(conformanceCase: ConformanceCase, environment: CaseEnvironment) {
    this.#environment = environment;
    this.#values = new Map([...environment.placeholders, ['case', conformanceCase.id]]);
  }

  step(step: Step): Promise<string | null> {
    if ('operator' in step) return this.#operate(step);
    if ('hold' in step) return this.#hold(step);
    if ('rollout' in step) return this.#rollOut(step);
    if ('tally' in step) return this.#tally(step);
    return this.#exchange(step);
  }

  close(): void {
    for (const release of this.#releases) release();
  }

  async #operate({ operator }: OperatorStep): Promise<string | null> {
    const filled = operator.map((word) => fillString(word, this.#values));
    const { code, stderr } = await runBurgee([...filled, '--data-dir', this.#environment.dataDir]);
    return code === 0 ? null : `burgee ${filled.join(' ')}: exit ${code}\n${stderr}`;
  }

  async #hold({ hold }: HoldStep): Promise<string | null> {
    const { method = 'POST', path, headers } = this.#toClientRequest(hold.request);
    const lines = Object.entries({ host: 'localhost', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const head = [`${method} ${path} HTTP/1.1`, ...lines, `content-length: ${hold.declaredBytes}`];
    const body = ' '.repeat(hold.sentBytes);
    this.#releases.push(await this.#environment.holdOpen(`${head.join('\r\n')}\r\n\r\n${body}`));
    return null;
  }

  async #exchange(step: ExchangeStep): Promise<string | null> {
    for (let count = 1; count <= (step.repeat ?? 1); count += 1) {
      const response = await this.#send(step.request);
      const problem = this.#findProblem(step, response);
      if (problem !== null) return this.#describe(step.request, response, `${problem} (time ${count})`);
      this.#capture(step.capture ?? {}, response);
    }
    return null;
  }

  async #rollOut({ rollout }: RolloutStep): Promise<string | null> {
    const flagId = fillString(rollout.flag, this.#values);
    const keys = [...this.#environment.vectorKeys];
    for (let index = 0; index < rollout.keys; index += 1) keys.push(`user-${index}`);
    for (const key of keys) {
      const query = `${rollout.parameter}=${encodeURIComponent(key)}${rollout.query ? `&${rollout.query}` : ''}`;
      const request = { method: 'GET', path: `/v1/flags/${flagId}?${fillString(query, this.#values)}` };
      const response = await this.#send(request);
      const enabled = memberOf(bodyOf(response), 'enabled');
      const expected = isInRolloutReference(flagId, key, rollout.percentage);
      if (response.status !== 200 || enabled !== expected) {
        return this.#describe(request, response, `key ${JSON.stringify(key)} must be ${expected}`);
      }
    }
    return null;
  }

  async #tally({ tally }: TallyStep): Promise<string | null> {
    const seen = new Set<Json | undefined>();
    for (let count = 0; count < tally.times; count += 1) {
      const response = await this.#send(tally.request);
      if (response.status !== 200) return this.#describe(tally.request, response, 'expected 200');
      seen.add(memberOf(bodyOf(response), 'enabled'));
    }
    return seen.has(true) && seen.has(false) ? null : `${tally.times} rolls all gave ${[...seen].join()}`;
  }

  #send(request: CaseRequest): Promise<ClientResponse> {
    const label = request.from ?? '';
    const client = this.#clients.get(label) ?? this.#environment.freshClient();
    this.#clients.set(label, client);
    return client.send(this.#toClientRequest(request));
  }

  #toClientRequest(request: CaseRequest): ClientRequest {
    const token = request.token === undefined ? {} : bearer(`\${token:${request.token}}`);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...token, ...request.headers })) {
      headers[name] = fillString(value, this.#values);
    }
    const body = this.#bodyOf(request);
    return {
      method: request.method,
      path: fillString(request.path, this.#values),
      headers,
      ...(body === null ? {} : { body }),
      isChunked: request.chunked ?? false,
    };
  }

  #bodyOf(request: CaseRequest): Buffer | null {
    const fill = (json: Json): string => JSON.stringify(fillPlaceholders(json, this.#values));
    if (request.body !== undefined) return Buffer.from(fill(request.body));
    if (request.bodyText !== undefined) return Buffer.from(fillString(request.bodyText, this.#values));
    if (request.bodyBase64 !== undefined) return Buffer.from(request.bodyBase64, 'base64');
    if (request.bodyPadded !== undefined) {
      return Buffer.from(fill(request.bodyPadded.json).padEnd(request.bodyPadded.bytes, ' '));
    }
    if (request.bodyRepeat !== undefined) {
      const { before, unit, times, after } = request.bodyRepeat;
      return Buffer.from(before + unit.repeat(times) + after);
    }
    return null;
  }

  #findProblem(step: ExchangeStep, response: ClientResponse): string | null {
    const isPlain = step.expect.bodyText !== undefined && response.status === 429;
    const path = fillString(step.request.path, this.#values);
    const docsUrl = this.#environment.docsUrl;
    const broken = brokenInvariants({ request: step.request, path, response, isPlain, docsUrl });
    const docs = memberOf(bodyOf(response), 'docs');
    if (typeof docs === 'string') this.#environment.sawDocsLink(docs);
    return this.#compare(step.expect, response) ?? (broken.length > 0 ? broken.join('; ') : null);
  }

  #compare(expect: Expectation, response: ClientResponse): string | null {
    const fill = (value: Expected): Expected => fillPlaceholders(value, this.#values);
    const status = findMismatch(response.status, fill(expect.status), 'status', true);
    if (status !== null) return status;
    for (const [name, value] of Object.entries(expect.headers ?? {})) {
      const problem = findMismatch(response.headers.get(name), fill(value), `header ${name}`, true);
      if (problem !== null) return problem;
    }
    if (expect.bodyText !== undefined) {
      return findMismatch(response.text, fill(expect.bodyText), 'body text', true);
    }
    const body = bodyOf(response);
    if (expect.body !== undefined) return findMismatch(body, fill(expect.body), 'body', true);
    if (expect.bodyMatches === undefined) return null;
    return findMismatch(body, fill(expect.bodyMatches), 'body', false);
  }

  #capture(captures: Readonly<Record<string, string>>, response: ClientResponse): void {
    for (const [name, path] of Object.entries(captures)) {
      const value = valueAt(path, response);
      if (value === undefined) throw new Error(`nothing at ${path} to capture`);
      this.#values.set(name, value);
    }
  }

  #describe(request: CaseRequest, response: ClientResponse, problem: string): string {
    const { path } = this.#toClientRequest(request);
    const answer = response.text.length > 900 ? `${response.text.slice(0, 900)}…` : response.text;
    return `${problem}\n  ${request.method} ${path.slice(0, 300)}\n  answered ${response.status} ${answer}`;
  }
}

function bodyOf(response: ClientResponse): Json | undefined {
  if (!/^application\/json/.test(response.headers.get('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(response.text) as Json;
  } catch {
    return undefined;
  }
}

function valueAt(path: string, response: ClientResponse): Json | undefined {
  if (path === 'clock') return Date.now();
  if (path === 'text') return response.text;
  const [root = '', ...keys] = path.split('.');
  if (root === 'headers') return response.headers.get(keys.join('.'));
  let value = bodyOf(response);
  for (const key of keys) {
    value = Array.isArray(value) ? (value as readonly Json[])[Number(key)] : memberOf(value, key);
  }
  return value;
}
