// npm run pack:client: bundles src/sdk and packs it to dist/burgee-client-<version>.tgz, whose path is the
// last line that it prints.
import './lib/choose-node.mjs';
import { ensureBuildInstalled } from './lib/ensure-installed.mjs';

await ensureBuildInstalled();
// Only now: it needs the bundler.
const { makeClientPackage } = await import('./lib/client-package.mjs');
console.log(await makeClientPackage());
