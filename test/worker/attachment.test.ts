import t from 'tap';
import { Exchange } from '../../src/http/exchange.ts';
import { evaluationRetryHeaders } from '../../src/operations/answer-headers.ts';
import type { ApiCall } from '../../src/operations/call.ts';
import { createLeaseMemory, LeaseCell } from '../../src/support/lease-cell.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import { FlagAnswer, type FlagAnswerParts } from '../../src/worker/answers/flag-evaluation.ts';
import { attachmentOf } from '../../src/worker/attachment.ts';
import type { WriterPort } from '../../src/writer/client/writer-client.ts';

const parts = {} as FlagAnswerParts;
const crowded = { headers: evaluationRetryHeaders, body: '{}' };

/** Notes what it is asked. */
function writerThatNotes(): { readonly port: WriterPort; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const note = (what: unknown): Promise<{ readonly kind: 'recorded' }> => {
    asked.push(what);
    return Promise.resolve({ kind: 'recorded' });
  };
  return { port: { write: note, recordDenial: note }, asked };
}

t.test('a service alone answers with what knows of no lease', async (t) => {
  const alone = attachmentOf(null);
  t.equal(alone.apiExchange, Exchange);
  t.equal(Object.getPrototypeOf(alone.flagAnswer(parts)), FlagAnswer.prototype);
  const { port } = writerThatNotes();
  t.equal(alone.writer(port), port);
  t.equal(alone.crowded(crowded), crowded);
  t.ok(alone.isAttached());
});

t.test(
  'a node sends nothing to its writer without a lease, and refuses connections as it is then',
  async (t) => {
    const memory = createLeaseMemory();
    const lease = new LeaseCell(memory);
    const node = attachmentOf(memory);
    const { port, asked } = writerThatNotes();
    const writer = node.writer(port);
    const refusal = node.crowded(crowded);
    const call = {} as ApiCall;
    t.notOk(node.isAttached());
    t.same(await writer.write(call), { kind: 'cut-off' });
    t.same(await writer.recordDenial({} as never), { kind: 'cut-off' });
    t.same(asked, []);
    t.match(refusal.headers.value, /\r\nBurgee-State: detached$/);
    lease.renew(monotonicMs() + 50_000, Date.now() + 50_000);
    t.ok(node.isAttached());
    t.same(await writer.write(call), { kind: 'recorded' });
    t.equal(asked.length, 1);
    t.equal(refusal.headers, evaluationRetryHeaders);
  },
);
