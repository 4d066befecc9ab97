import t from 'tap';
import { keptAnswersMax } from '../../src/domain/bounds.ts';
import { newTokenSecret } from '../../src/domain/token/token-secret.ts';
import { hashSecret } from '../../src/support/hash-secret.ts';
import { PreparedStore } from '../console/prepared-store.ts';
import { creationOf, keptAnswerOf, tokenOf } from '../storage/support/records.ts';
import { bootServer } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(120_000);

t.test('a project that can keep no more keys says when the oldest expires', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const text = newTokenSecret('burgee', crypto.getRandomValues(new Uint8Array(32)));
  const token = tokenOf(prepared.project.id, { secretHash: hashSecret(text.slice('burgee_'.length)) });
  prepared.add([creationOf('token', token)]);
  const hourMs = 3_600_000;
  const oldestAt = Date.now() - 20 * hourMs;
  const kept = Array.from({ length: keptAnswersMax.entries }, (_, index) =>
    keptAnswerOf(token, { key: `run-${index}`, keptAt: oldestAt + index }),
  );
  prepared.add(kept.map((after) => ({ kind: 'kept-answer', before: null, after })));
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const client = createHttpClient(t, { port: server.port });
  const headers = { authorization: `Bearer ${text}`, 'idempotency-key': 'new' };
  const path = '/api/v1/flags';
  const body = '{"name":"new"}';
  const refused = await client.send({ method: 'POST', path, headers, body });
  t.equal(refused.status, 503, refused.text);
  const seconds = Number(refused.headers.get('retry-after'));
  const expected = (oldestAt + 24 * hourMs - Date.now()) / 1000;
  t.ok(Math.abs(seconds - expected) < 60, `${seconds} s, and it is ${expected} s until then`);
  await server.stop();
});
