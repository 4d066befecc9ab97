// npm run release: builds what is published from the commit that is checked out, into dist/release: npm packages of the
// server and the client, and an archive for each platform that brings its own Node. The same commit gives the same bytes,
// except for the bill of materials, which has a time.
//
//   npm run release
//   npm run release -- linux-x64     only the archive of this platform, next to the packages
import './lib/choose-node.mjs';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseNames } from './lib/release-names.mjs';
import { layOutPackage, packArchive, readManifest, runNpm, runPinned } from './lib/release-package.mjs';
import { root } from './lib/root.mjs';

const platforms = ['linux-x64', 'linux-arm64'];
const target = join(root, 'dist', 'release');

/** Builds in a clone of the commit: nothing that is not committed gets into a release. */
function buildClone(folder) {
  const clone = join(folder, 'clone');
  runPinned('git', ['clone', '--quiet', '--no-hardlinks', root, clone], folder);
  runPinned('node', [join('scripts', 'build.mjs')], clone);
  return clone;
}

function writeSums() {
  const files = readdirSync(target).sort();
  const sums = files.map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(target, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !platforms.includes(name));
if (unknown !== undefined) {
  console.error(`There is no archive for ${unknown}. Platforms: ${platforms.join(', ')}.`);
  process.exit(2);
}
if (runPinned('git', ['status', '--porcelain'], root) !== '') {
  console.error('Some changes are not committed. Commit or stash them, then release.');
  process.exit(1);
}
const temporary = mkdtempSync(join(tmpdir(), 'burgee-release-'));
try {
  const clone = buildClone(temporary);
  const { version } = readManifest(clone);
  const time = runPinned('git', ['log', '-1', '--format=%ct'], clone).trim();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const folder = join(temporary, 'package');
  layOutPackage(clone, folder);
  runNpm(['pack', '--pack-destination', target], folder);
  const client = `${releaseNames.client}-${version}.tgz`;
  copyFileSync(join(clone, 'dist', client), join(target, client));
  for (const platform of wanted.length === 0 ? platforms : wanted) {
    console.error(`Packing ${platform} ...`);
    packArchive(folder, platform, { target, time });
  }
  const bill = runNpm(['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'], folder);
  writeFileSync(join(target, `${releaseNames.server}-${version}.cdx.json`), bill);
  writeSums();
  process.stdout.write(readFileSync(join(target, 'SHA256SUMS')));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
