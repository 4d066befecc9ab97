import t from 'tap';
import { unlimited } from '../support/booted-server.ts';
import { debianPrograms, pathOf } from '../support/debian-programs.ts';
import { startProxied } from './proxied-service.ts';
import { proxyCases } from './proxy-cases.ts';
import { nginxKind } from './proxy-kinds.ts';
import { restart } from './restarted-service.ts';

/* Runs nginx with deploy/nginx.conf, in which only addresses and files are replaced. */
t.setTimeout(300_000);

const programs = debianPrograms('nginx', 'openssl');

t.test('deploy/nginx.conf', { skip: programs.skip }, async (t) => {
  const openssl = pathOf(programs, 'openssl');
  const kind = nginxKind(pathOf(programs, 'nginx'));
  proxyCases(t, {
    kind,
    openssl,
    restriction: [
      [/^ {12}#allow 10.*/, '            allow 127.0.0.2;'],
      [/^ {12}#allow 192.*/, ''],
      [/^ {12}#deny all;/, '            deny all;'],
    ],
  });

  t.test('without Burgee it answers an error at once, and works when Burgee is back', async (t) => {
    const service = await startProxied(t, kind, { openssl, settings: unlimited });
    const client = service.client();
    const request = { path: `/v1/flags/${service.flag}` };
    t.equal((await client.send(request)).status, 200);
    await service.server.stop();
    t.equal((await client.send(request)).status, 502);
    const again = await restart(t, service);
    t.equal((await client.send(request)).status, 200);
    await again.stop();
  });
});
