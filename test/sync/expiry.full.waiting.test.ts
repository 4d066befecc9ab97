import t from 'tap';
import { bootSync, syncDocument } from './sync-fixture.ts';

t.setTimeout(120_000);

/** Long enough for a start on a busy machine. */
const lifetimeMs = 25_000;

t.test('a stream ends when its token expires', async (test) => {
  const expiresAt = Date.now() + lifetimeMs;
  const read = '"name":"read","permission":"read"';
  const text = JSON.stringify(syncDocument()).replaceAll(read, `${read},"expiresAt":${expiresAt}`);
  const site = await bootSync(test, { document: JSON.parse(text) as object });
  const stream = await site.stream({ secret: site.secret('read') });
  test.equal((await stream.next()).event, 'snapshot');
  test.equal(await stream.ended, true, 'at its next beat');
  test.equal((await site.get(site.path(), site.secret('read'))).status, 401);
});
