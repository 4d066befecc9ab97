import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../../support/http-client.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import type { History } from '../history.ts';
import { type Acknowledgements, type PatchBody, type ShownState, WrongAnswer } from './acknowledgements.ts';
import type { Installation, Project, Target } from './installation.ts';

export interface MixedLoadOptions {
  readonly port: number;
  readonly random: Random;
  readonly acknowledgements: Acknowledgements;
  /** Has a register for each flag and environment, by `keyOf`; its state is that of `textOf`. */
  readonly history: History;
  /** Each client has a connection of its own. All change the same flags. */
  readonly clients: number;
  /** Part of the names of this run's flags: a name shows which attempt made a flag. */
  readonly runName: string;
  readonly isOver: () => boolean;
  /** Called after each answer with its status and duration; null when there was none. */
  readonly onAnswer?: (kind: RequestKind, answer: ClientResponse | null) => void;
  /** Whether a client continues after a missing answer; otherwise it ends. */
  readonly isPersistent?: boolean;
  /** Pause of each client between an answer and the next request; none unless given. */
  readonly pauseMs?: number;
}

export type RequestKind = 'patch' | 'create' | 'denial' | 'read' | 'evaluation' | 'list';

/** How many of each hundred requests are of a kind. */
const shares: readonly (readonly [RequestKind, number])[] = [
  ['patch', 45],
  ['create', 4],
  ['denial', 6],
  ['read', 20],
  ['evaluation', 22],
  ['list', 3],
];
const kinds = shares.flatMap(([kind, share]) => Array.from({ length: share }, () => kind));
const cohortNames = ['alpha', 'beta', 'gamma', 'δέλτα', 'a b+c&d=e'];
const otherPause = 20;

export const initialState: ShownState = { enabled: false, trafficPercentage: 0, cohorts: [] };

/** Clients of both APIs that create, patch, are refused, read and evaluate, until `isOver` or until no answers come. */
export async function runMixedLoad(
  t: Lifetime,
  installation: Installation,
  options: MixedLoadOptions,
): Promise<void> {
  const marks = new Map<Target, string>();
  const clients = Array.from({ length: options.clients }, (_, number) =>
    new LoadClient(t, installation, options, number, marks).run(),
  );
  await Promise.all(clients);
}

interface Sent {
  readonly answer: ClientResponse | null;
  readonly calledAt: number;
  readonly returnedAt: number;
}

class LoadClient {
  readonly #http: HttpClient;
  readonly #installation: Installation;
  readonly #options: MixedLoadOptions;
  readonly #number: number;
  readonly #random: Random;
  /** The cohort of the newest change of each target: asking for it shows whether an evaluation is stale. */
  readonly #marks: Map<Target, string>;
  #turn = 0;
  #isAnswered = true;

  constructor(
    t: Lifetime,
    installation: Installation,
    options: MixedLoadOptions,
    number: number,
    marks: Map<Target, string>,
  ) {
    this.#marks = marks;
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
      if (!this.#isAnswered && !this.#options.isPersistent) return;
      const pauseMs = this.#isAnswered ? this.#options.pauseMs : otherPause;
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  async #request(kind: RequestKind): Promise<void> {
    const { single, multi } = this.#installation;
    const project = this.#random.chance(0.7) ? single : multi;
    if (kind === 'create') await this.#create(single);
    else if (kind === 'denial') await this.#beRefused(single);
    else if (kind === 'patch') await this.#patch(project);
    else if (kind === 'read') await this.#read(project);
    else if (kind === 'list') await this.#evaluateAll(project);
    else await this.#evaluate(project);
  }

  async #send(
    kind: RequestKind,
    method: string,
    path: string,
    secret: string | null,
    body?: object,
  ): Promise<Sent> {
    const calledAt = performance.now();
    const answer = await this.#http
      .send({
        method,
        path,
        headers: secret === null ? {} : bearer(secret),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      .catch(() => null);
    this.#isAnswered = answer !== null;
    this.#options.onAnswer?.(kind, answer);
    return { answer, calledAt, returnedAt: performance.now() };
  }

  async #create(project: Project): Promise<void> {
    const name = `${this.#options.runName}, client ${this.#number}, flag ${this.#turn}`;
    const body = randomPatch(this.#random, null);
    const { answer } = await this.#send('create', 'POST', '/api/v1/flags', project.secret, { name, ...body });
    this.#options.acknowledgements.take({ kind: 'create', name, body }, answer);
  }

  async #beRefused(project: Project): Promise<void> {
    const { id: tokenId, secret } = this.#random.pick(this.#installation.readers);
    const { flagId } = this.#random.pick(project.targets);
    const { answer } = await this.#send('denial', 'PATCH', `/api/v1/flags/${flagId}`, secret, {
      enabled: true,
    });
    this.#options.acknowledgements.take({ kind: 'denial', tokenId }, answer);
  }

  async #patch(project: Project): Promise<void> {
    const target = this.#random.pick(project.targets);
    const { runName } = this.#options;
    const mark = `${runName}, client ${this.#number}, turn ${this.#turn}`;
    const body = randomPatch(this.#random, mark);
    if (body.cohorts !== undefined) this.#marks.set(target, mark);
    const sent = await this.#send('patch', 'PATCH', pathOf(target), project.secret, body);
    const state = this.#options.acknowledgements.take({ kind: 'patch', target, body }, sent.answer);
    if (state !== 'unchanged') noteChange(this.#options.history, target, body, sent, state);
  }

  async #read(project: Project): Promise<void> {
    const target = this.#random.pick(project.targets);
    const { answer, ...when } = await this.#send('read', 'GET', pathOf(target), project.secret);
    if (answer === null || answer.status >= 500) return;
    if (answer.status !== 200) throw new WrongAnswer(`a read: ${answer.status} ${answer.text}`);
    noteState(this.#options.history, target, JSON.parse(answer.text) as ShownState, when);
  }

  async #evaluate(project: Project): Promise<void> {
    const target = this.#random.pick(project.targets);
    const mark = this.#random.chance(0.5) ? this.#marks.get(target) : undefined;
    const cohort = mark ?? this.#random.pick(cohortNames);
    const path = evaluationPathOf(target, cohort);
    const { answer, ...when } = await this.#send('evaluation', 'GET', path, null);
    if (answer === null || answer.status >= 500) return;
    if (answer.status !== 200) throw new WrongAnswer(`an evaluation: ${answer.status} ${answer.text}`);
    const { enabled } = JSON.parse(answer.text) as { enabled: boolean };
    this.#noteEvaluation(target, cohort, enabled, when);
  }

  /** Evaluates all flags of a project at once. */
  async #evaluateAll(project: Project): Promise<void> {
    const { environment } = this.#random.pick(project.targets);
    const cohort = this.#random.pick(cohortNames);
    const path = listPathOf(project.id, environment, cohort);
    const { answer, ...when } = await this.#send('list', 'GET', path, null);
    if (answer === null || answer.status >= 500) return;
    if (answer.status !== 200) throw new WrongAnswer(`a list: ${answer.status} ${answer.text}`);
    const list = JSON.parse(answer.text) as readonly { id: string; enabled: boolean }[];
    const shown = new Map(list.map(({ id, enabled }) => [id, enabled]));
    for (const target of project.targets) {
      if (target.environment !== environment) continue;
      const enabled = shown.get(target.flagId);
      if (enabled === undefined) throw new WrongAnswer(`a list without ${target.flagId}: ${answer.text}`);
      this.#noteEvaluation(target, cohort, enabled, when);
    }
  }

  #noteEvaluation(
    target: Target,
    cohort: string,
    enabled: boolean,
    when: Pick<Sent, 'calledAt' | 'returnedAt'>,
  ): void {
    this.#options.history.note(keyOf(target), {
      name: `an evaluation for ${cohort}, ${enabled}`,
      apply: (text) => (isOnFor(stateIn(text), cohort) === enabled ? text : null),
      ...when,
    });
  }
}

/** @param state that the answer shows; `unknown` if it leaves open whether the change was made */
export function noteChange(
  history: History,
  target: Target,
  body: PatchBody,
  { calledAt, returnedAt }: Pick<Sent, 'calledAt' | 'returnedAt'>,
  state: ShownState | 'unknown',
): void {
  const answered = state === 'unknown' ? null : textOf(state);
  history.note(keyOf(target), {
    name: `a change ${JSON.stringify(body)}, ${answered ?? 'unanswered'}`,
    apply: (text) => {
      const changed = textOf({ ...stateIn(text), ...body });
      return answered === null || changed === answered ? changed : null;
    },
    calledAt,
    returnedAt: state === 'unknown' ? null : returnedAt,
  });
}

/** What a read has shown, or what the store holds. */
export function noteState(
  history: History,
  target: Target,
  state: ShownState,
  when: Pick<Sent, 'calledAt' | 'returnedAt'>,
): void {
  const shown = textOf(state);
  history.note(keyOf(target), {
    name: `a read of ${shown}`,
    apply: (text) => (text === shown ? text : null),
    ...when,
  });
}

export function keyOf({ flagId, environment }: Target): string {
  return `${flagId} ${environment ?? ''}`;
}

/** A register's state. */
export function textOf({ enabled, trafficPercentage, cohorts }: ShownState): string {
  return JSON.stringify({ enabled, trafficPercentage, cohorts });
}

function stateIn(text: string): ShownState {
  return JSON.parse(text) as ShownState;
}

export function pathOf({ flagId, environment }: Target): string {
  return `/api/v1/flags/${flagId}${environment === null ? '' : `?env=${environment}`}`;
}

export function evaluationPathOf({ flagId, environment }: Target, cohort: string): string {
  const query = `?cohort=${encodeURIComponent(cohort)}`;
  return `/v1/flags/${flagId}${query}${environment === null ? '' : `&env=${environment}`}`;
}

function listPathOf(projectId: string, environment: string | null, cohort: string): string {
  return evaluationPathOf({ flagId: `project/${projectId}`, environment }, cohort);
}

/** Percentages are 0 or 100 here, so every answer is known. */
export function isOnFor({ enabled, trafficPercentage, cohorts }: ShownState, cohort: string): boolean {
  return enabled && (cohorts.includes(cohort) || trafficPercentage === 100);
}

export function isSameState(left: ShownState, right: ShownState): boolean {
  return textOf(left) === textOf(right);
}

/** @param mark a cohort that no other change has; null for none */
function randomPatch(random: Random, mark: string | null): PatchBody {
  const body: { -readonly [Key in keyof PatchBody]: PatchBody[Key] } = {};
  if (random.chance(0.6)) body.enabled = random.chance(0.5);
  if (random.chance(0.6)) body.trafficPercentage = random.pick([0, 100]);
  if (random.chance(0.7)) {
    const chosen = random.shuffle(cohortNames).slice(0, random.integer(0, 4));
    body.cohorts = mark === null ? chosen : [...chosen, mark];
  }
  return Object.keys(body).length > 0 ? body : { enabled: random.chance(0.5) };
}
