import type { SyncAudience, SyncFlag } from '../domain/sync/configuration.ts';
import type {
  BurgeeClient,
  ClientEvents,
  ClientStatus,
  EvaluatedFlag,
  Explanation,
  FallbackReason,
  FlagContext,
} from './burgee-client.ts';
import { FlagAnswers } from './configuration/flag-answers.ts';
import { HeldConfiguration } from './configuration/held-configuration.ts';
import { Listeners } from './listeners.ts';

export type { BurgeeClient, FlagContext } from './burgee-client.ts';

/** A flag of a test: on or off for everybody, or with rules as in the service. */
export type TestFlag =
  | boolean
  | {
      /** By default true. */
      readonly enabled?: boolean;
      /** Whole number, 0 to 100; by default 100. */
      readonly trafficPercentage?: number;
      readonly cohorts?: readonly string[];
      /** Values by attribute: of each, one must be the caller's. */
      readonly audience?: Readonly<Record<string, readonly string[]>>;
    };

/** A client whose flags a test sets. */
export interface InMemoryClient extends BurgeeClient {
  /** Makes or changes flags. Others stay as they are. */
  set(flags: Readonly<Record<string, TestFlag>>): void;
  /** Removes flags: questions get their fallback. */
  remove(...names: readonly string[]): void;
  /** Names of the flags that were asked for since the beginning, or since `forget`, each once and in order. */
  readonly asked: readonly string[];
  /** Forgets which flags were asked for. */
  forget(): void;
  /** Makes the client say that it is `stale` or in `error`, as on a bad day. */
  setStatus(status: ClientStatus): void;
}

/**
 * A client for tests: nothing is connected, and flags change at once.
 *
 *     const flags = inMemory({ checkout: true });
 *     flags.set({ checkout: false });
 *     flags.asked; // ['checkout'], once something has asked
 */
export function inMemory(flags: Readonly<Record<string, TestFlag>> = {}): InMemoryClient {
  const client = new MemoryClient();
  client.set(flags);
  return client;
}

const history = 'test';

class MemoryClient implements InMemoryClient {
  readonly flagSetId = 'test';
  readonly #listeners = new Listeners();
  readonly #held = new HeldConfiguration('test', null, (names) => this.#listeners.tellChange(names));
  readonly #answers = new FlagAnswers(this.#held.flags);
  readonly #ids = new Map<string, string>();
  readonly #asked = new Set<string>();
  #changes = 0;
  #status: ClientStatus = 'ready';

  constructor() {
    const empty = { projectId: 'test', environment: null, flags: [], audiences: [] };
    this.#held.replace({ version: this.#nextVersion(), ...empty }, true);
  }

  set(flags: Readonly<Record<string, TestFlag>>): void {
    const made = Object.entries(flags).map(([name, flag]) => this.#flagOf(name, flag));
    this.#change(
      made.map(({ flag }) => flag),
      made.flatMap(({ audience }) => audience ?? []),
      [],
    );
  }

  remove(...names: readonly string[]): void {
    this.#change(
      [],
      [],
      names.map((name) => this.#idOf(name)),
    );
  }

  #change(flags: readonly SyncFlag[], audiences: readonly SyncAudience[], removed: readonly string[]): void {
    const version = this.#nextVersion();
    this.#held.change({ version, flags, removed, audiences, removedAudiences: [] }, true);
  }

  #nextVersion(): string {
    this.#changes += 1;
    return `${history}.${this.#changes}`;
  }

  /** Ids of the service's length: they are part of what a percentage hashes. */
  #idOf(name: string): string {
    const id = this.#ids.get(name) ?? `test${String(this.#ids.size + 1).padStart(16, '0')}`;
    this.#ids.set(name, id);
    return id;
  }

  #flagOf(name: string, flag: TestFlag): { flag: SyncFlag; audience: SyncAudience | null } {
    const id = this.#idOf(name);
    const given = typeof flag === 'boolean' ? { enabled: flag } : flag;
    const {
      enabled = true,
      trafficPercentage = 100,
      cohorts = [],
      audience,
    } = given as Exclude<TestFlag, boolean>;
    if (!(Number.isInteger(trafficPercentage) && trafficPercentage >= 0 && trafficPercentage <= 100)) {
      throw new TypeError(
        `burgee-client: trafficPercentage of ${name} must be a whole number from 0 to 100.`,
      );
    }
    const rules = Object.entries(audience ?? {}).map(([attribute, values]) => ({ attribute, values }));
    const audienceId = audience === undefined ? null : `${id}-audience`;
    return {
      flag: {
        ...{ id, name, names: [name], revision: this.#changes + 1 },
        ...{ enabled, trafficPercentage, cohorts, audienceId },
      },
      audience: audienceId === null ? null : { id: audienceId, rules },
    };
  }

  get asked(): readonly string[] {
    return [...this.#asked];
  }

  forget(): void {
    this.#asked.clear();
  }

  isOn(nameOrId: string, context: FlagContext, fallback: boolean): boolean {
    this.#asked.add(nameOrId);
    return this.#answers.isOn(nameOrId, context, fallback);
  }

  evaluate(nameOrId: string, context: FlagContext): EvaluatedFlag | FallbackReason {
    this.#asked.add(nameOrId);
    return this.#answers.evaluate(nameOrId, context);
  }

  explain(nameOrId: string, context: FlagContext, fallback: boolean): Explanation {
    return this.#answers.explain(nameOrId, context, fallback, this.version);
  }

  get status(): ClientStatus {
    return this.#status;
  }

  setStatus(status: ClientStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#listeners.tellStatus(status, this.why);
  }

  get why(): string {
    return this.#status === 'ready' ? 'Flags are in memory.' : 'The test said so.';
  }

  get version(): string | null {
    return this.#held.version;
  }

  on<Name extends keyof ClientEvents>(name: Name, listener: ClientEvents[Name]): () => void {
    return this.#listeners.add(name, listener);
  }

  async close(): Promise<void> {}
}
