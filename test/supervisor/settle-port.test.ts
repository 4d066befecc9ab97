import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import type { Config } from '../../src/config/config.ts';
import { settlePort } from '../../src/supervisor/service.ts';

const anyPort = {
  host: '127.0.0.1',
  port: 0,
  baseUrl: 'http://127.0.0.1:0',
  docsUrl: 'http://127.0.0.1:0/docs',
} as Config;

async function listenOn(port: number): Promise<'listening' | string> {
  const server = createServer().listen(port, '127.0.0.1');
  const refused = await once(server, 'listening').then(
    () => null,
    (fault: NodeJS.ErrnoException) => fault.code ?? fault.message,
  );
  if (refused !== null) return refused;
  server.close();
  await once(server, 'close');
  return 'listening';
}

t.test('no other program gets the chosen port until it is released', async (t) => {
  const { config, release } = await settlePort(anyPort);
  t.ok(config.port > 0);
  t.equal(config.baseUrl, `http://127.0.0.1:${config.port}`);
  t.equal(config.docsUrl, `http://127.0.0.1:${config.port}/docs`);
  t.equal(await listenOn(config.port), 'EADDRINUSE');
  await release();
  t.equal(await listenOn(config.port), 'listening');
  await release();
});

t.test('a configured port is left unchanged and not checked', async (t) => {
  const named = { ...anyPort, port: 1 };
  const { config, release } = await settlePort(named);
  t.equal(config, named);
  await release();
});
