import t, { type Test } from 'tap';
import { isStandIn } from '../support/burgee-command.ts';
import { openRawConnection, rawRequest } from '../support/raw-request.ts';
import { besiege, nextAddress } from './robustness-fixture.ts';

/*
 * Where the two builds of the HTTP server differ: that of package.json, and that of the container image (decision 0058).
 * packaging/container runs this file again, on the image.
 */
t.setTimeout(120_000);

/** Seconds after which a silent connection is closed. */
const idleSeconds = isStandIn ? { from: 25, to: 36 } : { from: 7, to: 14 };

t.test('a silent connection is closed, before its first request and after', async (t) => {
  const { server } = await besiege(t);
  const request = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
  const silences = ['', 'GET /health HTTP/1.1\r\nHost: a', request].map(async (sent) => {
    const connection = await openRawConnection(t, server.port, nextAddress());
    if (sent !== '') await connection.written(sent);
    const startedAt = performance.now();
    await connection.closed;
    const seconds = (performance.now() - startedAt) / 1000;
    t.ok(seconds > idleSeconds.from && seconds < idleSeconds.to, `${JSON.stringify(sent)}: ${seconds} s`);
  });
  await Promise.all([...silences, withoutHost(t, server.port)]);

  const line = 'GET /health HTTP/1.1\r\n';
  const statuses = new Set<number | undefined>();
  for (let cut = 1; cut < line.length; cut += 1) {
    const connection = await openRawConnection(t, server.port, nextAddress());
    await connection.written(line.slice(0, cut));
    // The server has read the first piece when it has answered others: each worker is one thread.
    for (let turn = 0; turn < 10; turn += 1) await rawRequest(t, server.port, request);
    connection.write(`${line.slice(cut)}Host: a\r\n\r\n`);
    statuses.add((await connection.response())?.status);
    connection.destroy();
  }
  t.same([...statuses].sort(), isStandIn ? [200] : [200, 505], 'a request line in two pieces');
  await server.stop();
});

async function withoutHost(t: Test, port: number): Promise<void> {
  const answer = await rawRequest(t, port, 'GET /health HTTP/1.1\r\n\r\n', nextAddress());
  t.equal(answer?.status, isStandIn ? 400 : undefined, 'a request without Host');
}
