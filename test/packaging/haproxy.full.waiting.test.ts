import { connect } from 'node:net';
import t from 'tap';
import { unlimited } from '../support/booted-server.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { eventually } from '../support/expectations.ts';
import { bearer } from '../support/http-client.ts';
import { startLoad } from './proxied-load.ts';
import { startProxied } from './proxied-service.ts';
import { proxyCases } from './proxy-cases.ts';
import { haproxyKind } from './proxy-kinds.ts';
import { restart } from './restarted-service.ts';

/* Runs HAProxy with deploy/haproxy.cfg, in which only addresses, files and users are replaced. */
t.setTimeout(300_000);

const programs = debianPrograms('haproxy', 'openssl');

t.test('deploy/haproxy.cfg', { skip: programs.skip }, async (t) => {
  const openssl = pathOf(programs, 'openssl');
  const kind = haproxyKind(pathOf(programs, 'haproxy'));
  proxyCases(t, {
    kind,
    openssl,
    restriction: [
      [/^ {4}#acl is_ours .*/, '    acl is_ours src 127.0.0.2'],
      [/^ {4}#http-request deny/, '    http-request deny'],
    ],
  });

  t.test('a restart of Burgee under load fails no read', async (t) => {
    const service = await startProxied(t, kind, { openssl, settings: unlimited });
    const load = startLoad(service);
    await load.answered(50);
    service.server.signal('SIGTERM');
    t.equal(await service.server.ended, 0);
    const answeredBefore = load.count();
    const again = await restart(t, service);
    await load.answered(answeredBefore + 100);
    const { reads, failedReads, changes, failedChanges } = await load.end();
    t.ok(reads > 100);
    t.same(failedReads, [], `of ${reads} reads none failed`);
    t.ok(changes > 10);
    t.comment(`${failedChanges} of ${changes} changes met a closing connection`);
    t.ok(failedChanges <= 4, "at most each client's change under way");
    await again.stop();
  });

  t.test('a request waits while Burgee restarts', async (t) => {
    const service = await startProxied(t, kind, { openssl, settings: unlimited });
    await service.server.stop();
    const request = {
      method: 'PATCH',
      path: `/api/v1/flags/${service.flag}`,
      headers: bearer(service.secret),
    };
    const waiting = service.client().send({ ...request, body: '{"enabled": false}' });
    const again = await restart(t, service);
    t.equal((await waiting).status, 200, 'a change waits too, because it had not been sent');
    await again.stop();
  });

  t.test('one address has at most a thousand connections, and others go on', async (t) => {
    const { proxy, client } = await startProxied(t, kind, { openssl });
    const sockets = Array.from({ length: 1050 }, () =>
      connect({ port: proxy.port, host: '127.0.0.1', localAddress: '127.0.0.9' }),
    );
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
    });
    let refused = 0;
    for (const socket of sockets) socket.on('error', () => undefined).once('close', () => (refused += 1));
    await eventually(() => refused >= 50, 5000, 'fifty are closed');
    t.equal((await client('127.0.0.1').send({ path: '/health' })).status, 200);
    t.equal(refused, 50);
  });

  t.test('if Burgee does not come back, the answer is 503', async (t) => {
    const service = await startProxied(t, kind, { openssl });
    await service.server.stop();
    t.equal((await service.client().send({ path: '/health' })).status, 503);
  });
});
