import { pino } from 'pino';
import type { Test } from 'tap';
import type { Audience } from '../../src/domain/evaluation/audience.ts';
import type { Flag, FlagState } from '../../src/domain/flag/flag.ts';
import { readSyncPosition } from '../../src/domain/sync/sync-position.ts';
import type { SyncedEnvironment } from '../../src/streams/configuration.ts';
import type { Encoding } from '../../src/streams/environment.ts';
import type { Outlet, StreamEnd } from '../../src/streams/stream.ts';
import { StreamServer } from '../../src/streams/stream-server.ts';
import {
  audienceOf,
  creationOf,
  flagChangeOf,
  flagOf,
  projectOf,
  tokenOf,
} from '../storage/support/records.ts';
import { newStore } from '../storage/support/sample-store.ts';

const environments = [
  { number: 1, name: 'production', isProtected: false },
  { number: 2, name: 'staging', isProtected: false },
];
export const production = 1;
export const staging = 2;

/** The client of a stream: takes everything until the test says that it stalls. */
export class TestOutlet implements Outlet {
  readonly chunkBytes = 16 * 1024;
  isOver = false;
  isStalled = false;
  /** Everything that was written. */
  text = '';
  writes = 0;
  /** Why the stream ended, and whether in the middle of an event; null: it has not ended. */
  ended: { readonly reason: StreamEnd; readonly isCut: boolean } | null = null;
  #onTaken: () => void = () => undefined;
  #onGone: () => void = () => undefined;
  #wake: () => void = () => undefined;

  write(bytes: Uint8Array): boolean {
    this.text += Buffer.from(bytes).toString();
    this.writes += 1;
    this.#wake();
    return !this.isStalled;
  }

  onTaken(listener: () => void): void {
    this.#onTaken = listener;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  end(reason: StreamEnd, farewell: Uint8Array | null): void {
    if (farewell !== null) this.text += Buffer.from(farewell).toString();
    this.#finish({ reason, isCut: false });
  }

  cut(reason: StreamEnd): void {
    this.#finish({ reason, isCut: true });
  }

  #finish(ended: NonNullable<TestOutlet['ended']>): void {
    this.isOver = true;
    this.ended = ended;
    this.#wake();
  }

  /** The client reads again. */
  goOn(): void {
    this.isStalled = false;
    this.#onTaken();
  }

  /** The client goes away. */
  leave(): void {
    this.isOver = true;
    this.#onGone();
  }

  async until(passes: (outlet: this) => boolean): Promise<void> {
    while (!passes(this)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async endReason(): Promise<StreamEnd | undefined> {
    await this.until(({ ended }) => ended !== null);
    return this.ended?.reason;
  }
}

/** A stream server on a store with a project, a token and flags in two environments. */
export function openStage(t: Test, { flags = 1, memoryMax = 2 ** 26 } = {}) {
  const { store, reader, version } = newStore(t);
  let project = projectOf('o'.repeat(20), {
    isMultiEnvironment: true,
    environments,
    nextEnvironmentNumber: 3,
  });
  let token = tokenOf(project.id);
  const audiences = ['A', 'B'].map((name) => audienceOf(project.id, { name }));
  const made: Flag[] = Array.from({ length: flags }, (_, index) =>
    flagOf(project.id, { name: `flag ${index}` }),
  );
  store.write(({ apply }) =>
    apply([
      creationOf('project', project),
      creationOf('token', token),
      ...audiences.map((one) => creationOf('audience', one)),
    ]),
  );
  store.write(({ apply }) => apply(made.map((flag) => flagChangeOf(null, flag))));
  const ended: StreamEnd[] = [];
  const lines: string[] = [];
  let isAttached = true;
  const server = new StreamServer({
    ...{ reader, memoryMax, storeVersion: version },
    refresh: () => reader.renew(),
    log: pino({}, { write: (line: string) => void lines.push(line) }),
    isAttached: () => isAttached,
    meter: {
      putOpen: () => undefined,
      countEvent: () => undefined,
      countBytes: () => undefined,
      countEnd: (_kind, reason) => ended.push(reason),
    },
  });
  t.teardown(() => server.close());
  const change = (index: number, environmentNumber: number, next: Partial<FlagState>): void => {
    const before = made[index] as Flag;
    const state = before.states.get(environmentNumber) ?? {
      ...{ enabled: false, trafficPercentage: 100, cohortOverride: null, audienceId: null },
    };
    const states = new Map([...before.states, [environmentNumber, { ...state, ...next }]]);
    const after = { ...before, states, revision: before.revision + 1 };
    store.write(({ apply }) => apply([flagChangeOf(before, after)]));
    made[index] = after;
  };
  const place: SyncedEnvironment = {
    projectId: project.id,
    environmentNumber: production,
    name: 'production',
  };
  return {
    ...{ server, ended, lines, audiences, store },
    flagId: (index: number): string => (made[index] as Flag).id,
    change,
    changeAudience(audience: Audience, values: readonly string[]): void {
      const after = { ...audience, rules: [{ attribute: 'plan', values }], revision: audience.revision + 1 };
      store.write(({ apply }) => apply([{ kind: 'audience', before: audience, after }]));
    },
    changeProject(next: Partial<typeof project>): void {
      const before = project;
      project = { ...before, ...next, revision: before.revision + 1 };
      store.write(({ apply }) => apply([{ kind: 'project', before, after: project }]));
    },
    revokeToken(): void {
      const before = token;
      token = { ...before, revokedAt: Date.now(), revision: 2 };
      store.write(({ apply }) => apply([{ kind: 'token', before, after: token }]));
    },
    detach(): void {
      isAttached = false;
    },
    /** @param lastEventId of an earlier stream */
    open(encoding: Encoding, { lastEventId = '', isStalled = false } = {}): TestOutlet {
      const outlet = new TestOutlet();
      outlet.isStalled = isStalled;
      server.open({
        ...{ kind: encoding.kind, outlet, tokenId: token.id, known: readSyncPosition(lastEventId) },
        source: () => server.environment(place, encoding),
        onOver: () => undefined,
      });
      return outlet;
    },
  };
}

interface SentEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads events of any shape
  readonly data: any;
}

/** @returns the complete events that a client of sync or OFREP was sent, but for comments */
export function eventsOf({ text }: TestOutlet): readonly SentEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) };
    });
}

/** The events that are no heartbeats. */
export function changesOf(outlet: TestOutlet): readonly SentEvent[] {
  return eventsOf(outlet).filter(({ event }) => event !== 'beat');
}
