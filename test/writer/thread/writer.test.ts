import t from 'tap';
import { forgottenPerCommitMax } from '../../../src/domain/idempotency/answer-keeping.ts';
import type { KeptAnswer } from '../../../src/domain/idempotency/kept-answer.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { openStore, type Store } from '../../../src/storage/store.ts';
import type { WriteTransaction } from '../../../src/storage/write-transaction.ts';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import { newId } from '../../../src/support/random-id.ts';
import { writerMetrics } from '../../../src/writer/client/writer-metrics-protocol.ts';
import {
  linkCells,
  pulseBytes,
  type WriterCommand,
  type WriterResult,
} from '../../../src/writer/client/writer-protocol.ts';
import { type Commits, localCommits } from '../../../src/writer/thread/commits.ts';
import type { QueuedCommand } from '../../../src/writer/thread/decide-group.ts';
import { FreeSpace } from '../../../src/writer/thread/free-space.ts';
import { Writer } from '../../../src/writer/thread/writer.ts';
import { WriterMeter } from '../../../src/writer/thread/writer-meter.ts';
import { plainSettings } from '../../operations/run-operation.ts';
import { denialOf, tokenOf } from '../../storage/support/records.ts';
import { eventually } from '../../support/expectations.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dayMs = 86_400_000;

const client = {
  cells: new Int32Array(new SharedArrayBuffer(4 * linkCells)),
  send: () => undefined,
};

function queued(command: WriterCommand): QueuedCommand {
  return { command, client };
}

interface WriterParts {
  readonly commits: Commits;
  readonly directory: string;
  onFault(fault: unknown): void;
  onResults?(results: readonly (readonly [QueuedCommand, WriterResult])[]): void;
}

function openWriter({ commits, directory, onFault, onResults = () => undefined }: WriterParts): Writer {
  return new Writer(commits, {
    groupSizeMax: 256,
    onOutboxGrew: () => undefined,
    meter: new WriterMeter(createMetricMemory(writerMetrics)),
    operations: { ...plainSettings, acceptedPrefixes: [] },
    freeSpace: new FreeSpace(directory, 0),
    writtenBytesPerDayMax: 0,
    auditRetentionDays: 0,
    pulse: new SharedArrayBuffer(pulseBytes),
    onResults,
    onFault,
    onFileBack: () => undefined,
    onFatal: onFault,
  });
}

t.test(
  'each commit deletes a bounded number of old answers, of the projects in turn, and no young one',
  async (t) => {
    const directory = temporaryDirectory(t);
    const store = openStore({ directory, mapBytes: 2 ** 28 });
    t.teardown(() => store.close());
    const tokens = [tokenOf(newId()), tokenOf(newId())];
    const old = 2 * forgottenPerCommitMax + 1;
    const changes = tokens.flatMap(({ id: tokenId, projectId }) =>
      Array.from({ length: old + 1 }, (_, index) => {
        const keptAt = index < old ? Date.now() - dayMs - index : Date.now();
        const tags = { entityTag: '"1-1"', nameTakenBy: null };
        const fixed = { requestHash: new Uint8Array(32), ...tags, body: '{}', bytes: 300 };
        const after: KeptAnswer = { projectId, tokenId, key: `k${index}`, keptAt, ...fixed };
        return { kind: 'kept-answer', before: null, after } as const;
      }),
    );
    const [token] = tokens;
    if (token === undefined) throw new Error('two tokens were made');
    store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }, ...changes]));
    const faults: unknown[] = [];
    const writer = openWriter({
      commits: localCommits(store),
      directory,
      onFault: (fault) => faults.push(fault),
    });
    const kept = () =>
      store.write(({ queries }) =>
        tokens.map(({ projectId }) => queries.keptAnswersUsage(projectId).entries),
      );
    const sums: number[] = [];
    for (let ticket = 1; ticket <= 7; ticket += 1) {
      const denial = denialOf(token.id, { at: Date.now() });
      writer.submit([queued({ kind: 'denial', ticket, deadline: monotonicMs() + 60_000, denial })]);
      await writer.drain();
      sums.push(kept().reduce((sum, count) => sum + count, 0));
    }
    const all = 2 * (old + 1);
    const step = forgottenPerCommitMax;
    t.same(sums, [all - step, all - 2 * step, all - 3 * step, all - 4 * step, 3, 2, 2]);
    t.same(kept(), [1, 1], 'young answers stay');
    t.same(faults, []);
  },
);

t.test(
  'who was told that nobody knows is told nothing else, when the group is decided again and smaller',
  async (t) => {
    const directory = temporaryDirectory(t);
    const store = openStore({ directory, mapBytes: 2 ** 28 });
    t.teardown(() => store.close());
    const token = tokenOf(newId());
    store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }]));
    const told: [number, string][] = [];
    const wasTold = (count: number) => eventually(() => told.length === count, 10_000, 'callers are told');
    let commits = 0;
    // As in a cluster: the first commit takes too long, and another node was faster than it.
    const lateCommits: Commits = {
      answerMs: 20,
      commitOwn: null,
      async commit<T>(run: (transaction: WriteTransaction) => T) {
        commits += 1;
        if (commits > 1) return { result: store.write(run), isStored: true, confirmed: null };
        decideInVain(store, run);
        await wasTold(3);
        const result = store.write((transaction) =>
          run({ ...transaction, apply: slowed(transaction.apply) }),
        );
        return { result, isStored: true, confirmed: null };
      },
    };
    const faults: unknown[] = [];
    const writer = openWriter({
      ...{ commits: lateCommits, directory, onFault: (fault) => faults.push(fault) },
      onResults: (results) =>
        told.push(...results.map(([{ command }, { kind }]) => [command.ticket, kind] as [number, string])),
    });
    const denialOn = (ticket: number) =>
      queued({
        kind: 'denial',
        ticket,
        deadline: monotonicMs() + 60_000,
        denial: denialOf(token.id, { at: Date.now() }),
      });
    writer.submit([1, 2, 3].map(denialOn));
    await eventually(() => commits === 1, 10_000, 'the group is begun');
    writer.submit([denialOn(4)]);
    await writer.drain();
    t.same(told, [
      [1, 'unknown'],
      [2, 'unknown'],
      [3, 'unknown'],
      [4, 'recorded'],
    ]);
    t.same(faults, []);
  },
);

/** Runs a decision in a transaction that is given up. */
function decideInVain(store: Store, run: (transaction: WriteTransaction) => unknown): void {
  const inVain = new Error('in vain');
  try {
    store.write((transaction) => {
      run(transaction);
      throw inVain;
    });
  } catch (fault) {
    if (fault !== inVain) throw fault;
  }
}

/** Longer than a group may be decided, so that it takes one command. */
function slowed(apply: WriteTransaction['apply']): WriteTransaction['apply'] {
  return (changes) => {
    for (const until = monotonicMs() + 15; monotonicMs() < until; );
    apply(changes);
  };
}
