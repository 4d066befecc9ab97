import t from 'tap';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import type { BootedServer } from '../support/booted-server.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import { isOn, shopNodes, turn } from './support/shop-nodes.ts';

/*
 * What a cluster is for, in the quick tier: three processes, a real PostgreSQL. What else they go through is in
 * three-nodes-faults, and in the campaigns.
 */
const { skip } = findPostgres();
const rounds = 30;
const leaseMs = 1000;
/** The lease, what clocks may differ by, and what a busy machine adds. A node that is waited for any longer makes a 503 of the change. */
const waitedMsMax = 4 * leaseMs;

t.test(
  'a change that one node acknowledged is seen by all at once, and waits for a dead node as long as its lease',
  { skip },
  async (test) => {
    const { nodes, flag, secret } = await shopNodes(test, { BURGEE_CLUSTER_LEASE_MS: String(leaseMs) });
    const [first, , third] = nodes as [BootedServer, BootedServer, BootedServer];
    const wrong: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const isEnabled = round % 2 === 0;
      const answer = await turn(nodes[round % nodes.length] as BootedServer, flag, secret, isEnabled);
      if (answer.status !== 200) wrong.push(`round ${round}: ${answer.status} ${await answer.text()}`);
      for (const [index, node] of nodes.entries()) {
        if ((await isOn(node, flag)) !== isEnabled) wrong.push(`round ${round}: node ${index} is stale`);
      }
    }
    test.same(wrong, []);

    third.signal('SIGKILL');
    await third.ended;
    const killedAt = monotonicMs();
    test.equal((await turn(first, flag, secret, true)).status, 200);
    const waitedMs = monotonicMs() - killedAt;
    test.ok(waitedMs < waitedMsMax, `a change waited ${waitedMs} ms for a node that was killed`);
    for (const node of nodes.slice(0, 2)) test.equal(await isOn(node, flag), true);
  },
);
