// Steps of the Dockerfile, in its build stage:
//
//   node scripts/image-packages.mjs choose     before the installation: deploy/http-server.json replaces the package of
//                                              the HTTP server in package.json and package-lock.json
//   node scripts/image-packages.mjs licenses   while the packages of the console are there: writes THIRD-PARTY-LICENSES
//   node scripts/image-packages.mjs trim       at the end: removes what this Node on this platform does not load
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeUnused } from './lib/remove-unused.mjs';
import { root } from './lib/root.mjs';
import { renderThirdPartyLicenses } from './lib/third-party-licenses.mjs';

const alias = 'uWebSockets.js';

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function choose() {
  const server = readJson('deploy/http-server.json');
  const manifest = readJson('package.json');
  const lockfile = readJson('package-lock.json');
  for (const { dependencies } of [manifest, lockfile.packages['']])
    dependencies[alias] = `npm:${server.name}@${server.version}`;
  lockfile.packages[`node_modules/${alias}`] = server;
  for (const [name, value] of Object.entries({ 'package.json': manifest, 'package-lock.json': lockfile }))
    writeFileSync(join(root, name), `${JSON.stringify(value, null, 2)}\n`);
}

function licenses() {
  writeFileSync(join(root, 'THIRD-PARTY-LICENSES'), renderThirdPartyLicenses(root));
}

function trim() {
  const { platform, arch, versions } = process;
  const packages = join(root, 'node_modules');
  removeUnused(packages, `${platform}-${arch}`, versions.modules);
  rmSync(join(packages, '.package-lock.json'));
}

({ choose, licenses, trim })[process.argv[2]]();
