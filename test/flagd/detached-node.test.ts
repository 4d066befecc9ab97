import t from 'tap';
import { createLeaseMemory } from '../../src/support/lease-cell.ts';
import { startLeased, TestLease } from '../cluster/leased-service.ts';
import { freePort } from '../support/free-port.ts';
import { bearer, callSync, grpcClient, provisionFlags } from './flagd-fixture.ts';

t.setTimeout(60_000);

t.test('a node that is cut off ends its streams and opens none, until it is attached again', async (t) => {
  const store = await provisionFlags(t);
  const memory = createLeaseMemory();
  const lease = new TestLease(memory);
  lease.renew();
  const flagdPort = await freePort();
  await startLeased(t, store.dataDir, memory, { BURGEE_FLAGD_SYNC_PORT: String(flagdPort) });
  const client = grpcClient(t, flagdPort);
  const options = { selector: store.solo.id, metadata: bearer(store.secretOf('solo')) };
  const stream = callSync(client, options);
  await stream.configuration(0);
  lease.expire();
  t.match(await stream.ended, { code: 'UNAVAILABLE', details: /cut off from its cluster/ });
  t.match(await callSync(client, options).ended, {
    code: 'UNAVAILABLE',
    details: /cut off from its cluster/,
  });
  lease.renew();
  const again = callSync(client, options);
  await again.configuration(0);
  again.cancel();
  await again.ended;
});
