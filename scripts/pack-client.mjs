// npm run pack:client: bundles src/sdk to dist/client, and packs it to dist/burgee-client-<version>.tgz, whose path is the
// last line that it prints.
import './lib/choose-node.mjs';
import { buildClient, packClient } from './lib/client-package.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';

await ensureInstalled();
await buildClient();
console.log(packClient());
