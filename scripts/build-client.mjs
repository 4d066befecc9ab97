// Packs burgee-client and puts it among the pages that Burgee serves: dist/docs/burgee-client.tgz.
//
//   node scripts/build-client.mjs
//       packs nothing when the last package was made of the same sources
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeClientPackage } from './lib/client-package.mjs';
import { hashOfSources } from './lib/hash-of-sources.mjs';
import { root } from './lib/root.mjs';

const sources = [
  'src/sdk',
  'src/domain',
  'src/support',
  'scripts/lib/client-package.mjs',
  'scripts/lib/release-names.mjs',
  'package.json',
  'package-lock.json',
];
/** Written last: the hash of the sources, and the package that was made of them. */
const stamp = join(root, 'dist', '.client-package');

function lastPackage(hash) {
  if (!existsSync(stamp)) return null;
  const [ofHash, path = ''] = readFileSync(stamp, 'utf8').split('\n');
  return ofHash === hash && existsSync(path) ? path : null;
}

async function pack(hash) {
  const path = await makeClientPackage();
  writeFileSync(stamp, `${hash}\n${path}`);
  return path;
}

const hash = hashOfSources(sources);
copyFileSync(lastPackage(hash) ?? (await pack(hash)), join(root, 'dist', 'docs', 'burgee-client.tgz'));
