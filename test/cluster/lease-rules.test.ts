import t from 'tap';
import {
  heldUntil,
  isRestored,
  isSilent,
  judgeServer,
  mayAcknowledge,
  positionOwed,
  seePeer,
  silenceMs,
  validUntil,
} from '../../src/cluster/thread/lease-rules.ts';

/* What the rules say of single cases; lease-model tries every order of steps with them. */
const leaseMs = 3000;

t.test('a node takes a tenth off its lease, and others add one', async (t) => {
  t.equal(validUntil(10_000, leaseMs), 12_700);
  t.equal(silenceMs(leaseMs), 3300);
  t.equal(heldUntil(10_000, leaseMs), 13_300);
});

t.test('a peer is silent when a read that was sent late enough shows the counter that it had', async (t) => {
  const first = seePeer(null, 7, 990, 1000);
  t.notOk(isSilent(first, leaseMs), 'the read that showed it first was sent before that');
  const early = seePeer(first, 7, 4299, 4400);
  t.notOk(isSilent(early, leaseMs));
  const late = seePeer(early, 7, 4300, 4400);
  t.ok(isSilent(late, leaseMs));
  t.same(seePeer(late, 7, 2000, 4500), late, 'an older read says no more than a newer one');
  t.notOk(isSilent(seePeer(late, 8, 4500, 4600), leaseMs), 'it has renewed its lease');
});

t.test(
  'a renewal counts at once only for a node that was attached all the time, to the same server',
  async (t) => {
    t.equal(positionOwed({ head: 5, isStillValid: true, isSameConnection: true }), 0);
    t.equal(positionOwed({ head: 5, isStillValid: false, isSameConnection: true }), 5);
    t.equal(positionOwed({ head: 5, isStillValid: true, isSameConnection: false }), 5);
  },
);

t.test('a change waits for the nodes that are not silent, as they were read after its commit', async (t) => {
  const [alive, silent] = [seePeer(null, 7, 990, 1000), seePeer(seePeer(null, 7, 0, 0), 7, 3300, 3400)];
  const change = { position: 5, wereReadAfterCommit: true, heldUntilMs: 0, nowMs: 10_000 };
  const peersAt = (applied: number) => [
    { seen: alive, applied, leaseMs },
    { seen: silent, applied: 0, leaseMs },
  ];
  t.ok(mayAcknowledge({ ...change, peers: [] }));
  t.ok(mayAcknowledge({ ...change, peers: peersAt(5) }));
  t.notOk(mayAcknowledge({ ...change, peers: peersAt(4) }));
  t.notOk(
    mayAcknowledge({ ...change, peers: [{ seen: silent, applied: 0, leaseMs: 2 * leaseMs }] }),
    'by its own lease',
  );
  t.notOk(mayAcknowledge({ ...change, peers: [], wereReadAfterCommit: false }));
  t.notOk(mayAcknowledge({ ...change, peers: [], heldUntilMs: 10_001 }));
  t.ok(mayAcknowledge({ ...change, peers: [], heldUntilMs: 10_000 }));
});

t.test(
  'a server of a lower timeline is a restored one where it began after the newer one fell silent',
  async (t) => {
    t.equal(isRestored(1000, 5000), true);
    t.equal(isRestored(5000, 1000), false, 'it ran already while the newer one answered');
    t.equal(isRestored(1000, 1100), false, 'their clocks may run at rates a tenth apart');
    t.equal(isRestored(1000, 1101), true);
  },
);

t.test('another run of the server is new, one of a lower timeline is not asked', async (t) => {
  const run = { startedAt: '2026-01-01 00:00:00+00', timeline: 2 };
  t.equal(judgeServer(null, run), 'new');
  t.equal(judgeServer(run, run), 'same');
  t.equal(judgeServer(run, { ...run, startedAt: '2026-01-02 00:00:00+00' }), 'new');
  t.equal(judgeServer(run, { ...run, timeline: 3 }), 'new');
  t.equal(judgeServer(run, { ...run, timeline: 1 }), 'stale');
});
