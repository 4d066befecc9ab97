// npm run pack:client: bundles src/sdk to dist/client, and packs it to dist/burgee-client-<version>.tgz, whose path is the
// last line that it prints.
import './lib/choose-node.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';

await ensureInstalled();
// Only now: it needs the bundler.
const { buildClient, packClient } = await import('./lib/client-package.mjs');
await buildClient();
console.log(packClient());
