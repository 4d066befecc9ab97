// A service that asks for each request. Run it: BURGEE_URL=… BURGEE_PROJECT=… BURGEE_TOKEN=… node express-service.mjs
// With Express, `app.get('/', handle)` in place of `createServer(handle)` is all the difference.
import { createServer } from 'node:http';
import { connect } from 'burgee-client';

const flags = await connect({
  url: process.env.BURGEE_URL,
  project: process.env.BURGEE_PROJECT,
  environment: process.env.BURGEE_ENVIRONMENT,
  token: process.env.BURGEE_TOKEN,
  // So that a restart while Burgee is unreachable begins with the last configuration.
  cacheFile: process.env.BURGEE_CACHE_FILE,
});
flags.on('status', (status, why) => console.error(`flags are ${status}: ${why}`));

function handle(request, response) {
  const user = request.headers['x-user'] ?? 'nobody';
  const isNew = flags.isOn('checkout', { targetingKey: user, plan: 'pro' }, false);
  response.end(isNew ? 'the new checkout\n' : 'the old checkout\n');
}

const server = createServer(handle).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

process.once('SIGTERM', async () => {
  server.close();
  await flags.close();
});
