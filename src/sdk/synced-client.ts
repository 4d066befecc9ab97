import type {
  BurgeeClient,
  ClientEvents,
  ClientStatus,
  EvaluatedFlag,
  Explanation,
  FallbackReason,
  FlagContext,
} from './burgee-client.ts';
import type { ClientSettings } from './client-options.ts';
import { FlagAnswers } from './configuration/flag-answers.ts';
import { HeldConfiguration } from './configuration/held-configuration.ts';
import { CacheFile, newerOf, readConfigurationFile } from './configuration/kept-files.ts';
import { SyncAddress } from './connection/sync-address.ts';
import { Synchroniser } from './connection/synchroniser.ts';
import { UsageReporter } from './connection/usage-reporter.ts';
import { Listeners } from './listeners.ts';
import type { Timings } from './timings.ts';
import { warn } from './warn.ts';

/** A client that a service keeps up to date. */
export class SyncedClient implements BurgeeClient {
  readonly flagSetId: string;
  readonly #settings: ClientSettings;
  readonly #timings: Timings;
  readonly #held: HeldConfiguration;
  readonly #answers: FlagAnswers;
  readonly #synchroniser: Synchroniser;
  readonly #usage: UsageReporter;
  readonly #cache: CacheFile | null;
  readonly #listeners = new Listeners();
  #status: ClientStatus = 'error';
  #why = 'It has not been connected yet.';
  #noteStarted: () => void = () => undefined;

  constructor(settings: ClientSettings, timings: Timings) {
    const { url, project, environment, token, cacheFile } = settings;
    this.#settings = settings;
    this.#timings = timings;
    this.flagSetId = environment === null ? project : `${project}/${environment}`;
    this.#held = new HeldConfiguration(project, environment, (names) => this.#noteChange(names));
    this.#answers = new FlagAnswers(this.#held.flags);
    const address = new SyncAddress(url, project, environment, token);
    let isFirst = true;
    this.#synchroniser = new Synchroniser(address, this.#held, timings, (status, why, isRefused) => {
      if (isRefused) warn(why);
      else if (isFirst && status !== 'ready') warn(`${why} ${whatToCheck(address.shown)}`);
      isFirst = false;
      this.#setStatus(status, why);
      if (status === 'ready' || isRefused) this.#noteStarted();
    });
    this.#usage = new UsageReporter(address, this.#held.flags, timings);
    this.#cache =
      cacheFile === null ? null : new CacheFile(cacheFile, () => this.#held.snapshot, timings.cacheMs);
  }

  /** Takes the configuration from files, and waits for the service's answer, at most as long as the settings say. */
  async start(): Promise<void> {
    await this.#takeFiles();
    const started = new Promise<void>((resolve) => {
      this.#noteStarted = resolve;
    });
    void this.#synchroniser.run(this.#settings.mode);
    this.#usage.start();
    await within(this.#settings.startTimeoutMs, started);
  }

  async #takeFiles(): Promise<void> {
    const { bootstrap, cacheFile } = this.#settings;
    const isPath = typeof bootstrap === 'string' || bootstrap instanceof URL;
    const chosen = isPath ? await readConfigurationFile(bootstrap, true) : bootstrap;
    const kept = cacheFile === null ? null : await readConfigurationFile(cacheFile, false);
    const first = newerOf(chosen, kept);
    for (const snapshot of [first, first === chosen ? kept : chosen]) {
      if (snapshot === null) continue;
      try {
        this.#held.replace(snapshot, false);
        this.#setStatus('stale', 'It answers from a file, and is not connected yet.');
        return;
      } catch (fault) {
        warn(`a configuration of a file is not used: ${(fault as Error).message}`);
      }
    }
  }

  isOn(nameOrId: string, context: FlagContext, fallback: boolean): boolean {
    return this.#answers.isOn(nameOrId, context, fallback);
  }

  evaluate(nameOrId: string, context: FlagContext): EvaluatedFlag | FallbackReason {
    const answer = this.#answers.evaluate(nameOrId, context);
    return answer === 'flag-not-found' && this.version === null ? 'not-ready' : answer;
  }

  explain(nameOrId: string, context: FlagContext, fallback: boolean): Explanation {
    return this.#answers.explain(nameOrId, context, fallback, this.version);
  }

  get status(): ClientStatus {
    return this.#status;
  }

  get why(): string {
    return this.#why;
  }

  get version(): string | null {
    return this.#held.version;
  }

  on<Name extends keyof ClientEvents>(name: Name, listener: ClientEvents[Name]): () => void {
    return this.#listeners.add(name, listener);
  }

  async close(): Promise<void> {
    this.#synchroniser.close();
    this.#cache?.stop();
    await within(this.#timings.closeMs, Promise.all([this.#usage.sendLast(), this.#cache?.flush()]));
    this.#usage.stop();
    // Its configuration is no longer updated. Listeners are not called: their program closed it.
    if (this.#status === 'ready') this.#status = 'stale';
    this.#why = 'The client was closed.';
  }

  #noteChange(names: readonly string[]): void {
    this.#cache?.note();
    this.#listeners.tellChange(names);
  }

  #setStatus(status: ClientStatus, why: string): void {
    const isNew = status !== this.#status;
    this.#status = status;
    this.#why = why;
    if (isNew) this.#listeners.tellStatus(status, why);
  }
}

function whatToCheck(url: string): string {
  return (
    `Check that ${url} is the address of Burgee, that Burgee runs, and that no firewall or proxy is in the way. ` +
    'The client keeps trying; until then it answers from a file, or with fallbacks.'
  );
}

/** Waits at most `ms`. The timer keeps the process running, because the client's sockets do not. */
async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
