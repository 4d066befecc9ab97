import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './root.mjs';
import { shippedPackages } from './supply-chain.mjs';

/** Licences that allow Burgee to include a package under its own, as packages state them. */
const allowed = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'],
  '(MIT OR CC0-1.0)',
]);
/** Packages that state their licence without its text, each with another one of its author that has the text. */
const textIn = {
  'react-remove-scroll-bar': 'react-remove-scroll',
  'weak-lru-cache': 'msgpackr',
};

/** @returns the texts of licences and notices in a package, also those of code that it includes */
function findTexts(folder) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true })
    .filter((path) => !path.includes('node_modules'))
    .filter((path) => /^(licen[cs]e|copying|copyright|notice|unlicense)([.-].*)?$/i.test(basename(path)))
    .sort();
  const texts = files.map((path) => readFileSync(join(folder, path), 'utf8'));
  if (texts.length > 0) return texts;
  const readme = readdirSync(folder).find((name) => /^readme/i.test(name));
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8');
  const [, section] = /\n#+ licen[cs]e\s+([\s\S]*?Permission is hereby granted[\s\S]*)/i.exec(text) ?? [];
  return section === undefined ? [] : [section];
}

/** A package on a line, and the packages of its native code, which have no text of their own. */
function nameOf({ name, version, license, builds }) {
  const natives = builds.length === 0 ? '' : `, and its native code: ${builds.join(', ')}`;
  return `${name} ${version} (${license})${natives}`;
}

/**
 * The licences of the packages that a release contains: those that run, and those whose code the console's files contain.
 * @param checkout whose packages are installed
 * @throws when a licence is not allowed, or its text is missing
 */
export function renderThirdPartyLicenses(checkout, packages = shippedPackages()) {
  const problems = [];
  const holders = new Map();
  for (const shipped of packages) {
    const { name, path, license } = shipped;
    if (!allowed.has(license))
      problems.push(`${name}: ${license ?? 'no licence'} is not on the list of those allowed`);
    const other = packages.find((each) => each.name === textIn[name]);
    const texts = findTexts(join(checkout, (other ?? shipped).path));
    // Burgee's own licence is this one.
    if (texts.length === 0 && license === 'Apache-2.0')
      texts.push(readFileSync(join(root, 'LICENSE'), 'utf8'));
    const text = texts.join('\n').trim();
    if (text === '') problems.push(`${name}: the text of its licence is missing in ${path}`);
    holders.set(text, [...(holders.get(text) ?? []), nameOf(shipped)]);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const rule = '='.repeat(80);
  const parts = [...holders].map(([text, names]) => `${rule}\n${names.join('\n')}\n${rule}\n\n${text}\n`);
  return `Burgee contains or installs the packages below. Its archive and its container image also contain Node.js, whose licence is
bin/node-LICENSE, or /usr/local/LICENSE in the image. The image contains packages of Debian, whose licences are in
/usr/share/doc. The native code of the HTTP server's package is uWebSockets.js of uNetworking AB, under the Apache License 2.0.

${parts.join('\n')}`;
}
