import t from 'tap';
import { inMegabytes, ownBytesOf } from '../campaigns/resources.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { openRawConnection, rawRequest } from '../support/raw-request.ts';
import { takenPort } from '../support/taken-port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bootWithAdmin } from './admin-fixture.ts';

/* The admin listener: two pages, GET and HEAD only, on a port of its own. */
t.setTimeout(120_000);

t.test('two pages, GET and HEAD only, and nothing else', async (t) => {
  const { server, admin } = await bootWithAdmin(t, { dataDir: temporaryDirectory(t) });
  const metrics = await admin.get('/metrics');
  t.equal(metrics.status, 200);
  t.match(metrics.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  t.equal(metrics.headers.get('cache-control'), 'no-store');
  t.equal((await admin.get('/ready')).headers.get('content-type'), 'application/json');
  t.equal((await admin.get('/metrics?name[]=x')).status, 200);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const refused = await admin.send(method, '/metrics');
    t.equal(refused.status, 405, method);
    t.equal(refused.headers.get('allow'), 'GET, HEAD');
  }
  for (const path of ['/metrics', '/ready']) {
    const head = await admin.send('HEAD', path);
    t.equal(head.status, 200, path);
    t.equal(head.headers.get('content-type'), (await admin.get(path)).headers.get('content-type'));
  }
  for (const path of ['/', '/health', '/v1/flags/x', '/api/v1/flags', '/docs', '/metrics/', '/ready/x']) {
    t.equal((await admin.get(path)).status, 404, path);
  }
  t.equal((await admin.get('/ready')).status, 200, 'the listener still answers');
  const port = Number(/"adminPort":(\d+)/.exec(server.lines.join('\n'))?.[1]);
  t.not(port, server.port);
  t.equal((await rawRequest(t, port, 'nonsense\r\n\r\n'))?.status, 400);
  const elsewhere = createHttpClient(t, { port: server.port });
  t.equal((await elsewhere.send({ path: '/health' })).status, 200);
  await server.stop();
});

t.test('a client that sends requests and reads no answers is cut off', async (t) => {
  const { server, admin } = await bootWithAdmin(t, { dataDir: temporaryDirectory(t) });
  const port = Number(/"adminPort":(\d+)/.exec(server.lines.join('\n'))?.[1]);
  const before = ownBytesOf(server.pid);
  let grown = 0;
  for (let count = 0; count < 16; count += 1) {
    const connection = await openRawConnection(t, port);
    connection.pause();
    connection.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1500));
    await admin.get('/ready');
    grown = Math.max(grown, ownBytesOf(server.pid) - before);
    connection.resume();
    await connection.closed;
  }
  t.ok(grown < 100 * 1024 * 1024, `the process grew by ${inMegabytes(grown)} MB`);
  t.equal((await admin.get('/metrics')).status, 200, 'other clients are answered');
  await server.stop();
});

t.test('a port in use ends the start with a message that says what to do', async (t) => {
  const taken = await takenPort(t);
  const given = ['--data-dir', temporaryDirectory(t), '--port', '0', '--admin-port', taken];
  const { code, stdout, stderr } = await runBurgee(['serve', ...given]);
  t.equal(code, 1);
  t.match(stderr + stdout, `cannot listen on 127.0.0.1:${taken}`);
  t.match(stderr + stdout, '--admin-port');
});

t.test('the public port cannot be the admin port', async (t) => {
  const given = ['--data-dir', temporaryDirectory(t), '--port', '18999', '--admin-port', '18999'];
  const { code, stderr } = await runBurgee(['serve', ...given]);
  t.equal(code, 1);
  t.match(stderr, 'The admin port must differ from the public port');
  t.match(stderr, '--admin-port');
});

t.test('the setting is off or a port; other values are refused', async (t) => {
  const shown = async (value: string): Promise<string> => {
    const { stdout, stderr } = await runBurgee(['config'], { BURGEE_ADMIN_PORT: value });
    return stdout + stderr;
  };
  t.match(await shown('off'), /adminPort.*off|admin-port.*off/i);
  t.match(await shown('9102'), /9102/);
  t.match(await shown('70000'), 'BURGEE_ADMIN_PORT must be a whole number from 0 to 65535, or off');
});
