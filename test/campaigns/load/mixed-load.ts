import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../../support/http-client.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import { type Acknowledgements, type PatchBody, type ShownState, WrongAnswer } from './acknowledgements.ts';
import type { Installation, Project, Target } from './installation.ts';

export interface MixedLoadOptions {
  readonly port: number;
  readonly random: Random;
  readonly acknowledgements: Acknowledgements;
  /** Each client has a connection of its own and, of every kind of flag, some that no other client changes. */
  readonly clients: number;
  /** Part of the names of this run's flags: a name shows which attempt made a flag. */
  readonly runName: string;
  readonly isOver: () => boolean;
  /** Called after each answer with its status and duration; null when there was none. */
  readonly onAnswer?: (kind: RequestKind, answer: ClientResponse | null) => void;
  /** Whether a client continues after a missing answer; otherwise it ends. */
  readonly isPersistent?: boolean;
}

export type RequestKind = 'patch' | 'create' | 'denial' | 'read' | 'evaluation';

/** How many of each hundred requests are of a kind. */
const shares: readonly (readonly [RequestKind, number])[] = [
  ['patch', 50],
  ['create', 4],
  ['denial', 6],
  ['read', 15],
  ['evaluation', 25],
];
const kinds = shares.flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
const cohortNames = ['alpha', 'beta', 'gamma', 'δέλτα', 'a b+c&d=e'];
const otherPause = 20;

/** Clients of both APIs that create, patch, are refused, read and evaluate, until `isOver` or until no answers come. */
export async function runMixedLoad(
  t: Lifetime,
  installation: Installation,
  options: MixedLoadOptions,
): Promise<void> {
  const clients = Array.from({ length: options.clients }, (_, number) =>
    new LoadClient(t, installation, options, number).run(),
  );
  await Promise.all(clients);
}

class LoadClient {
  readonly #http: HttpClient;
  readonly #installation: Installation;
  readonly #options: MixedLoadOptions;
  readonly #number: number;
  readonly #random: Random;
  /** The last known states of this client's own targets. */
  readonly #known = new Map<Target, ShownState>();
  #turn = 0;
  #isAnswered = true;

  constructor(t: Lifetime, installation: Installation, options: MixedLoadOptions, number: number) {
    this.#http = createHttpClient(t, { port: options.port });
    this.#installation = installation;
    this.#options = options;
    this.#number = number;
    this.#random = options.random.fork(number);
  }

  async run(): Promise<void> {
    while (!this.#options.isOver()) {
      this.#turn += 1;
      await this.#request(this.#random.pick(kinds));
      if (this.#isAnswered) continue;
      if (!this.#options.isPersistent) return;
      await new Promise((resolve) => setTimeout(resolve, otherPause));
    }
  }

  async #request(kind: RequestKind): Promise<void> {
    const { single, multi } = this.#installation;
    const project = this.#random.chance(0.7) ? single : multi;
    if (kind === 'create') await this.#create(single);
    else if (kind === 'denial') await this.#beRefused(single);
    else if (kind === 'patch') await this.#patch(project);
    else if (kind === 'read') await this.#read(project);
    else await this.#evaluate(project);
  }

  async #send(
    kind: RequestKind,
    method: string,
    path: string,
    secret: string | null,
    body?: object,
  ): Promise<ClientResponse | null> {
    const answer = await this.#http
      .send({
        method,
        path,
        ...(secret === null ? {} : { headers: bearer(secret) }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      .catch(() => null);
    this.#isAnswered = answer !== null;
    this.#options.onAnswer?.(kind, answer);
    return answer;
  }

  async #create(project: Project): Promise<void> {
    const name = `${this.#options.runName}, client ${this.#number}, flag ${this.#turn}`;
    const body = randomPatch(this.#random);
    const answer = await this.#send('create', 'POST', '/api/v1/flags', project.secret, { name, ...body });
    this.#options.acknowledgements.take({ kind: 'create', name, body }, answer);
  }

  async #beRefused(project: Project): Promise<void> {
    const { id: tokenId, secret } = this.#random.pick(this.#installation.readers);
    const { flagId } = this.#random.pick(project.targets);
    const answer = await this.#send('denial', 'PATCH', `/api/v1/flags/${flagId}`, secret, { enabled: true });
    this.#options.acknowledgements.take({ kind: 'denial', tokenId }, answer);
  }

  async #patch(project: Project): Promise<void> {
    const target = this.#random.pick(project.targets.filter((it) => !this.#isOthers(project, it)));
    const body = randomPatch(this.#random);
    const answer = await this.#send('patch', 'PATCH', pathOf(target), project.secret, body);
    const state = this.#options.acknowledgements.take({ kind: 'patch', target, body }, answer);
    if (state === 'unchanged' || !this.#isOwn(project, target)) return;
    if (state === 'unknown') this.#known.delete(target);
    else this.#known.set(target, state);
  }

  async #read(project: Project): Promise<void> {
    const target = this.#random.pick(project.targets);
    const answer = await this.#send('read', 'GET', pathOf(target), project.secret);
    if (answer === null || answer.status >= 500) return;
    const known = this.#isOwn(project, target) ? this.#known.get(target) : undefined;
    const shown = JSON.parse(answer.text) as ShownState;
    if (answer.status !== 200) throw new WrongAnswer(`a read: ${answer.status} ${answer.text}`);
    if (known !== undefined && !isSameState(known, shown)) {
      throw new WrongAnswer(`${pathOf(target)} shows ${answer.text} after ${JSON.stringify(known)}`);
    }
  }

  async #evaluate(project: Project): Promise<void> {
    const target = this.#random.pick(project.targets);
    const cohort = this.#random.pick(cohortNames);
    const answer = await this.#send('evaluation', 'GET', evaluationPathOf(target, cohort), null);
    if (answer === null || answer.status >= 500) return;
    if (answer.status !== 200) throw new WrongAnswer(`an evaluation: ${answer.status} ${answer.text}`);
    const { enabled } = JSON.parse(answer.text) as { enabled: boolean };
    const known = this.#isOwn(project, target) ? this.#known.get(target) : undefined;
    if (known !== undefined && enabled !== isOnFor(known, cohort)) {
      throw new WrongAnswer(`${pathOf(target)} is ${enabled} for ${cohort} after ${JSON.stringify(known)}`);
    }
  }

  #isOwn(project: Project, target: Target): boolean {
    return this.#ownerOf(project, target) === this.#number;
  }

  #isOthers(project: Project, target: Target): boolean {
    const owner = this.#ownerOf(project, target);
    return owner !== null && owner !== this.#number;
  }

  /** Half of the targets are shared, so that several clients change the same flag. */
  #ownerOf(project: Project, target: Target): number | null {
    const index = project.targets.indexOf(target);
    return index % 2 === 0 ? (index / 2) % this.#options.clients : null;
  }
}

export function pathOf({ flagId, environment }: Target): string {
  return `/api/v1/flags/${flagId}${environment === null ? '' : `?env=${environment}`}`;
}

export function evaluationPathOf({ flagId, environment }: Target, cohort: string): string {
  const query = `?cohort=${encodeURIComponent(cohort)}`;
  return `/v1/flags/${flagId}${query}${environment === null ? '' : `&env=${environment}`}`;
}

/** Percentages are 0 or 100 here, so every answer is known. */
export function isOnFor({ enabled, trafficPercentage, cohorts }: ShownState, cohort: string): boolean {
  return enabled && (cohorts.includes(cohort) || trafficPercentage === 100);
}

export function isSameState(left: ShownState, right: ShownState): boolean {
  const text = ({ enabled, trafficPercentage, cohorts }: ShownState): string =>
    JSON.stringify([enabled, trafficPercentage, cohorts]);
  return text(left) === text(right);
}

function randomPatch(random: Random): PatchBody {
  const body: { -readonly [Key in keyof PatchBody]: PatchBody[Key] } = {};
  if (random.chance(0.6)) body.enabled = random.chance(0.5);
  if (random.chance(0.6)) body.trafficPercentage = random.pick([0, 100]);
  if (random.chance(0.5)) body.cohorts = random.shuffle(cohortNames).slice(0, random.integer(0, 4));
  return Object.keys(body).length > 0 ? body : { enabled: random.chance(0.5) };
}
