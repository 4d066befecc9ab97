import t from 'tap';
import { forgottenPerCommitMax } from '../../../src/domain/idempotency/answer-keeping.ts';
import type { KeptAnswer } from '../../../src/domain/idempotency/kept-answer.ts';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { openStore } from '../../../src/storage/store.ts';
import { makeFirstOwnerOffer } from '../../../src/supervisor/make-first-owner-offer.ts';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import { newId } from '../../../src/support/random-id.ts';
import { writerMetrics } from '../../../src/writer/client/writer-metrics-protocol.ts';
import { pulseBytes } from '../../../src/writer/client/writer-protocol.ts';
import { localCommits } from '../../../src/writer/thread/commits.ts';
import { FreeSpace } from '../../../src/writer/thread/free-space.ts';
import { Writer } from '../../../src/writer/thread/writer.ts';
import { WriterMeter } from '../../../src/writer/thread/writer-meter.ts';
import { denialOf, tokenOf } from '../../storage/support/records.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dayMs = 86_400_000;

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
        const fixed = { requestHash: new Uint8Array(32), entityTag: '"1-1"', body: '{}', bytes: 300 };
        const after: KeptAnswer = { projectId, tokenId, key: `k${index}`, keptAt, ...fixed };
        return { kind: 'kept-answer', before: null, after } as const;
      }),
    );
    const [token] = tokens;
    if (token === undefined) throw new Error('two tokens were made');
    store.write(({ apply }) => apply([{ kind: 'token', before: null, after: token }, ...changes]));
    const faults: unknown[] = [];
    const writer = new Writer(localCommits(store), {
      groupSizeMax: 256,
      onOutboxGrew: () => undefined,
      meter: new WriterMeter(createMetricMemory(writerMetrics)),
      console: {
        ...{
          tokenPrefix: 'burgee',
          baseUrl: '',
          docsUrl: '',
          openIdName: null,
          isMailConfigured: false,
          isCluster: false,
          changeMsMax: 0,
        },
        firstOwnerOffer: makeFirstOwnerOffer('', Date.now()).offer,
      },
      docsUrl: '',
      tokenPrefixesAccepted: [],
      freeSpace: new FreeSpace(directory, 0),
      writtenBytesPerDayMax: 0,
      auditRetentionDays: 0,
      pulse: new SharedArrayBuffer(pulseBytes),
      onResults: () => undefined,
      onFault: (fault) => faults.push(fault),
      onFileBack: () => undefined,
      onFatal: (fault) => faults.push(fault),
    });
    const kept = () =>
      store.write(({ queries }) =>
        tokens.map(({ projectId }) => queries.keptAnswersUsage(projectId).entries),
      );
    const sums: number[] = [];
    for (let ticket = 1; ticket <= 7; ticket += 1) {
      const denial = denialOf(token.id, { at: Date.now() });
      writer.submit([{ kind: 'denial', ticket, deadline: monotonicMs() + 60_000, denial }]);
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
