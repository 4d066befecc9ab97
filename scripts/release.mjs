// npm run release: builds what is published from the commit that is checked out, into dist/release: npm packages of the
// server and the client, the Helm chart, an archive for each platform that brings its own Node, and the container image. The
// same commit gives the same bytes, except for the image.
//
//   npm run release
//   npm run release -- linux-x64     only the archive of this platform, next to the packages
//   npm run release -- image         only the container image, next to the packages
import './lib/choose-node.mjs';
import { spawnSync } from 'node:child_process';
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
import { addIncluded } from './lib/bill-of-materials.mjs';
import { buildImage, imageProblem, saveImage } from './lib/image.mjs';
import { releaseNames } from './lib/release-names.mjs';
import {
  layOutPackage,
  packArchive,
  packChart,
  readManifest,
  runNpm,
  runPinned,
} from './lib/release-package.mjs';
import { root } from './lib/root.mjs';

const platforms = ['linux-x64', 'linux-arm64'];
const image = 'image';
const target = join(root, 'dist', 'release');

/** Builds in a clone of the commit: nothing that is not committed gets into a release. */
function buildClone(folder) {
  const clone = join(folder, 'clone');
  runPinned('git', ['clone', '--quiet', '--no-hardlinks', root, clone], folder);
  runPinned('node', [join('scripts', 'build.mjs')], clone);
  return clone;
}

function packImage(clone, folder, version) {
  const problem = imageProblem();
  if (problem !== null) return console.error(`The container image is left out: ${problem}.`);
  console.error('Building the container image ...');
  const tag = `${releaseNames.image}:${version}`;
  buildImage(clone, folder, tag);
  saveImage(folder, tag, join(target, `${releaseNames.server}-${version}-image-linux-x64`));
}

/**
 * npm's bill of materials, with the commit's time and without a random number, and what the builds include in addition.
 * @param time in Unix seconds
 */
function billOfMaterials(folder, time) {
  const arguments_ = ['sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx'];
  const { serialNumber: _, ...bill } = JSON.parse(runNpm(arguments_, folder));
  bill.metadata.timestamp = new Date(Number(time) * 1000).toISOString();
  return `${JSON.stringify(addIncluded(bill), null, 2)}\n`;
}

function writeSums() {
  const files = readdirSync(target).sort();
  const sums = files.map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(target, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
}

const all = [...platforms, image];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : all;
const unknown = wanted.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`Nothing is packed for ${unknown}, only for ${all.join(', ')}.`);
  process.exit(2);
}
const missing = ['git', 'tar', 'xz'].filter(
  (program) => spawnSync(program, ['--version']).error !== undefined,
);
if (missing.length > 0) {
  console.error(
    `A release needs ${missing.join(' and ')}. Debian's packages are called git, tar and xz-utils.`,
  );
  process.exit(1);
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
  packChart(clone, { target, time });
  for (const platform of platforms.filter((name) => wanted.includes(name))) {
    console.error(`Packing ${platform} ...`);
    packArchive(folder, platform, { target, time });
  }
  if (wanted.includes(image)) packImage(clone, temporary, version);
  writeFileSync(join(target, `${releaseNames.server}-${version}.cdx.json`), billOfMaterials(folder, time));
  writeSums();
  process.stdout.write(readFileSync(join(target, 'SHA256SUMS')));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
