/**
 * Starts `unleash-server` on the database behind the Unix socket in the folder of the first argument, and makes the flag
 * `half` through its admin API. Its frontend token's secret is the second argument.
 */
import { randomBytes } from 'node:crypto';
import { start } from 'unleash-server';
import { announce, endWithParent } from './end-with-parent.mjs';

const [socketDirectory, frontendToken] = process.argv.slice(2);
const adminToken = `*:*.${randomBytes(24).toString('hex')}`;
process.env.INIT_ADMIN_API_TOKENS = adminToken;
process.env.INIT_FRONTEND_API_TOKENS = frontendToken;
// Its rate limits, which are per minute, must not limit what is measured.
process.env.SDK_API_RATE_LIMIT_PER_MINUTE = '1000000000';
process.env.TOKEN_AUTHENTICATION_RATE_LIMIT_PER_MINUTE = '1000000000';
process.env.CHECK_VERSION = 'false';
process.env.SEND_TELEMETRY = 'false';

let unleash;
endWithParent(() => unleash?.stop());
unleash = await start({
  db: { host: socketDirectory, port: 5432, user: 'unleash', password: '', database: 'postgres', ssl: false },
  server: { host: '127.0.0.1', port: 0, gracefulShutdownEnable: false, gracefulShutdownTimeout: 100 },
  logLevel: 'error',
});
const { port } = unleash.server.address();
const origin = `http://127.0.0.1:${port}`;
await makeFlag();
await untilSeen();
announce({ port });

async function call(path, body) {
  const response = await fetch(`${origin}/api/admin/projects/default/features${path}`, {
    method: 'POST',
    headers: { authorization: adminToken, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`unleash-server answered ${response.status} to POST ${path}: ${text}`);
}

async function makeFlag() {
  await call('', { name: 'half', type: 'release', impressionData: false });
  await call('/half/environments/development/strategies', {
    name: 'flexibleRollout',
    constraints: [],
    parameters: { groupId: 'half', rollout: '50', stickiness: 'userId' },
  });
  await call('/half/environments/development/on', {});
}

/** The frontend API reads its flags from a cache. This asks for several users until one of them has the flag. */
async function untilSeen() {
  for (const endsAt = Date.now() + 20_000; Date.now() < endsAt; ) {
    for (let user = 0; user < 20; user += 1) {
      const response = await fetch(`${origin}/api/frontend?userId=user-${user}`, {
        headers: { authorization: frontendToken },
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`unleash-server's frontend API answered ${response.status}: ${text}`);
      if (text.includes('"half"')) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the flag did not appear in the frontend API of unleash-server within 20 s');
}
