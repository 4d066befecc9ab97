/**
 * Starts `@unleash/proxy` with the flag `half`. Its client key is the first argument. A small stand-in replaces the
 * Unleash server from which the proxy reads flags and to which it reports usage; that server takes no part in an
 * answer.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import proxy from '@unleash/proxy';
import { InMemStorageProvider } from 'unleash-client';
import { announce, endWithParent } from './end-with-parent.mjs';
import { unleashFlag } from './unleash-flag.mjs';

const readyWithinMs = 10_000;
const clientKey = process.argv[2];

const upstream = createServer((request, response) => {
  request.resume();
  if (request.method !== 'GET') response.writeHead(202).end();
  else
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ version: 2, features: [unleashFlag] }));
});
const upstreamPort = await listen(upstream);

const app = proxy.createApp({
  unleashUrl: `http://127.0.0.1:${upstreamPort}/api`,
  unleashApiToken: '*:development.bench',
  clientKeys: [clientKey],
  environment: 'development',
  // Otherwise the proxy leaves a backup of its flags in the system's temporary folder.
  storageProvider: new InMemStorageProvider(),
});
const server = createServer(app);
endWithParent(() => {
  for (const each of [server, upstream]) {
    each.closeAllConnections();
    each.close();
  }
});
const port = await listen(server);
await untilReady(`http://127.0.0.1:${port}/proxy/health`);
announce({ port });

async function listen(each) {
  each.listen(0, '127.0.0.1');
  await once(each, 'listening');
  return each.address().port;
}

/** The proxy answers 503 until it has read its flags. */
async function untilReady(url) {
  for (const endsAt = Date.now() + readyWithinMs; Date.now() < endsAt; ) {
    const response = await fetch(url);
    await response.arrayBuffer();
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`@unleash/proxy was not ready within ${readyWithinMs / 1000} s`);
}
