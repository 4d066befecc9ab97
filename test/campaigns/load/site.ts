import { checkStore } from '../../../src/storage/check.ts';
import { type BootedServer, bootServer, unlimited } from '../../support/booted-server.ts';
import { runBurgee, type Settings } from '../../support/burgee-command.ts';
import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../../support/http-client.ts';
import { type Lifetime, withLifetime } from '../../support/lifetime.ts';
import { History } from '../history.ts';
import { Acknowledgements, type PatchBody, type ShownState } from './acknowledgements.ts';
import { type Installation, installForLoad, type Target } from './installation.ts';
import { type JudgeOptions, judgeStore, type StoredStates } from './judge-store.ts';
import {
  evaluationPathOf,
  initialState,
  isOnFor,
  isSameState,
  keyOf,
  type MixedLoadOptions,
  noteChange,
  noteState,
  pathOf,
  runMixedLoad,
  textOf,
} from './mixed-load.ts';

export type SiteLoad = Omit<MixedLoadOptions, 'port' | 'acknowledgements' | 'history'> & {
  /** Flags that may change; those of the site unless given. */
  readonly installation?: Installation;
};

export interface Judging extends Partial<JudgeOptions> {
  /** Changes may have been answered with 500 since the last judgement. */
  readonly mayFail?: boolean;
  /** Runs `burgee check`, which starts processes; otherwise its checks run in this process. */
  readonly isChecked?: boolean;
  /** Starts the service again, and compares its answers. With the settings of this server. */
  readonly isServed?: Settings;
}

/**
 * One data directory of all single-node campaigns, over all the servers that it is served by: a load changes it, a fault
 * happens, and `judge` compares what clients know with the store and the service.
 */
export class Site {
  readonly installation: Installation;
  readonly known = new Acknowledgements();
  /** Unanswered changes that were made nevertheless. */
  madeUnanswered = 0;
  unanswered = 0;
  #failed = 0;
  /** States when the history began. */
  #initial: StoredStates = new Map();
  #history = new History();

  constructor(installation: Installation) {
    this.installation = installation;
  }

  static async open(t: Lifetime, options: Parameters<typeof installForLoad>[1]): Promise<Site> {
    return new Site(await installForLoad(t, options));
  }

  get dataDir(): string {
    return this.installation.dataDir;
  }

  boot(t: Lifetime, settings: Settings = {}): Promise<BootedServer> {
    return bootServer(t, { dataDir: this.dataDir, settings: { ...unlimited, ...settings } });
  }

  /** Runs until the load is over. @throws on an answer that no request of the load may get */
  load(
    t: Lifetime,
    { port }: Pick<BootedServer, 'port'>,
    { installation, ...load }: SiteLoad,
  ): Promise<void> {
    const shared = { acknowledgements: this.known, history: this.#history, port };
    return runMixedLoad(t, installation ?? this.installation, { ...load, ...shared });
  }

  /** Loads a server until `during` settles, and kills it then if `isKilled`, while clients wait for answers. */
  async loadDuring(
    t: Lifetime,
    server: BootedServer,
    { isKilled, ...load }: Omit<SiteLoad, 'isOver'> & { readonly isKilled: boolean },
    during: () => Promise<unknown>,
  ): Promise<void> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
      if (isKilled) server.signal('SIGKILL');
    };
    await Promise.all([this.load(t, server, { ...load, isOver: () => isOver }), during().finally(end)]);
    const ended = isKilled ? await server.ended : 'SIGKILL';
    if (ended !== 'SIGKILL')
      throw new Error(`the server ended with ${ended}: ${server.lines.slice(-5).join('\n')}`);
  }

  /** Switches a flag on, or off if it was on. @returns null if there was no answer */
  async switchFlag(client: HttpClient): Promise<ClientResponse | null> {
    const target = this.installation.single.targets[0] as Target;
    const request = { path: pathOf(target), headers: bearer(this.installation.single.secret) };
    const read = await client.send(request).catch(() => null);
    if (read === null) return null;
    const body: PatchBody = { enabled: !(JSON.parse(read.text) as ShownState).enabled };
    const calledAt = performance.now();
    const answer = await client
      .send({ ...request, method: 'PATCH', body: JSON.stringify(body) })
      .catch(() => null);
    const state = this.known.take({ kind: 'patch', target, body }, answer);
    const when = { calledAt, returnedAt: performance.now() };
    if (state !== 'unchanged') noteChange(this.#history, target, body, when, state);
    return answer;
  }

  /**
   * No server may run. Compares the store with what the clients know: every acknowledged change is there, and one order
   * of changes explains every answer and what is stored at the end.
   * @throws on a violation
   */
  async judge(judging: Judging = {}): Promise<StoredStates> {
    const { areDenialsKept = true, mayFail = false, isChecked = false, isServed } = judging;
    const failed = this.known.failures.get(500) ?? 0;
    if (!mayFail && failed > this.#failed)
      throw new Error(`${failed - this.#failed} changes were answered with 500`);
    this.#failed = failed;
    this.unanswered += this.#history.settle();
    const { states, madeUnanswered } = await judgeStore(this.installation, this.known, { areDenialsKept });
    this.madeUnanswered = madeUnanswered;
    const now = performance.now();
    for (const target of [...this.installation.single.targets, ...this.installation.multi.targets]) {
      const { state } = states.get(keyOf(target)) ?? { state: initialState };
      noteState(this.#history, target, state, { calledAt: now, returnedAt: now });
    }
    this.#history.check((key) => textOf(this.#initial.get(key)?.state ?? initialState));
    this.#history = new History();
    this.#initial = states;
    if (isChecked) await this.#runCheck();
    else
      for (const { where, what } of checkStore(this.dataDir))
        throw new Error(`the check finds ${where}: ${what}`);
    if (isServed !== undefined) {
      await withLifetime(async (t) => {
        const server = await this.boot(t, isServed);
        await this.judgeService(createHttpClient(t, { port: server.port }), states);
        await server.stop();
      });
    }
    return states;
  }

  async #runCheck(): Promise<void> {
    const { code, stdout, stderr } = await runBurgee(['check', '--data-dir', this.dataDir]);
    if (code !== 0) throw new Error(`burgee check: exit ${code}\n${stdout}${stderr}`);
  }

  /** Compares the answers of both APIs with the store. @throws Error on a difference */
  async judgeService(client: HttpClient, stored: StoredStates): Promise<void> {
    const seen = new Map<string, ShownState>();
    for (const { secret } of [this.installation.single, this.installation.multi]) {
      const list = await client.send({ path: '/api/v1/flags', headers: bearer(secret) });
      if (list.status !== 200) throw new Error(`the list of flags: ${list.status} ${list.text}`);
      for (const flag of (JSON.parse(list.text) as { flags: readonly ListedFlag[] }).flags) {
        if (flag.environments === undefined) seen.set(keyOf({ flagId: flag.id, environment: null }), flag);
        for (const [environment, state] of Object.entries(flag.environments ?? {}))
          seen.set(keyOf({ flagId: flag.id, environment }), state);
      }
    }
    if (seen.size !== stored.size)
      throw new Error(`${seen.size} flag states are listed, ${stored.size} stored`);
    for (const [key, { target, state }] of stored) {
      const listed = seen.get(key);
      if (listed === undefined || !isSameState(listed, state))
        throw new Error(`${key} is listed as ${JSON.stringify(listed)}, stored as ${JSON.stringify(state)}`);
      const answer = await client.send({ path: evaluationPathOf(target, 'alpha') });
      const { enabled } = JSON.parse(answer.text) as { enabled?: boolean };
      if (answer.status !== 200 || enabled !== isOnFor(state, 'alpha'))
        throw new Error(`${key} evaluates to ${answer.text}; it is ${JSON.stringify(state)}`);
    }
  }
}

interface ListedFlag extends ShownState {
  readonly id: string;
  readonly environments?: Readonly<Record<string, ShownState>>;
}
