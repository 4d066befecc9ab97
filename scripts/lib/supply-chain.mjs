import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builds } from '../choose-node.cjs';
import { root } from './root.mjs';

/** The heading of docs/supply-chain.md whose section this file generates. */
const generatedHeading = '## <a id="lockfile"></a>What the lockfile says';

/** @returns every package of the lockfile, with its place below node_modules and its name on the registry. */
function readPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(packages).filter(
    ([path]) => path.startsWith('node_modules/') && !packages[path].link,
  );
  return installed.map(([path, entry]) => ({
    ...entry,
    path,
    name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
  }));
}

/** The packages that browsers run parts of, by name: those that the console and the documentation import. */
function importedForBrowsers() {
  const folders = ['console', 'docs-page'].map((name) => join(root, 'src', name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => join(folder, file)),
  );
  const sources = files.filter((file) => /[.]tsx?$/.test(file));
  const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const imports = text.matchAll(/^(?:import|export)(?! type)[^;]*?'((?:@[\w-]+\/)?[\w-][\w.-]*)[^']*';$/gm);
  return [...new Set([...imports].map(([, name]) => name))];
}

/** These packages and all their dependencies. Packages for one platform each are the last of their line. */
function closure(names, packages) {
  const byPath = new Map(packages.map((entry) => [entry.path, entry]));
  const found = new Set();
  const visit = (from, name) => {
    // In Node's order of search: the dependent package's own node_modules, then those further up.
    const places = from
      .split(/(?=\/node_modules\/)/)
      .map((_part, index, parts) => parts.slice(0, parts.length - index));
    const above = places.map((parts) => `${parts.join('')}/node_modules/${name}`);
    const entry = [...above, `node_modules/${name}`].map((path) => byPath.get(path)).find(Boolean);
    if (entry === undefined || found.has(entry)) return;
    found.add(entry);
    if (isForOnePlatform(entry)) return;
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
      visit(entry.path, needed);
  };
  for (const name of names) visit('', name);
  return [...found];
}

const byName = (one, other) => (one.path < other.path ? -1 : 1);
const licenceOf = ({ license }) => license ?? 'not stated';
const isForOnePlatform = ({ os, cpu }) => os !== undefined || cpu !== undefined;

/**
 * The packages that a release contains or installs, but those for one platform each.
 * @returns each package, with `builds`: the names of its packages for one platform
 */
export function shippedPackages() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const all = closure([...Object.keys(dependencies), ...importedForBrowsers()], readPackages());
  const builds = new Set(all.filter(isForOnePlatform).map(({ name }) => name));
  return all
    .filter((entry) => !isForOnePlatform(entry))
    .sort(byName)
    .map((entry) => ({
      ...entry,
      builds: Object.keys(entry.optionalDependencies ?? {}).filter((name) => builds.has(name)),
    }));
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function packageTable(packages) {
  const rows = packages.sort(byName).map((entry) => [`\`${entry.name}\``, entry.version, licenceOf(entry)]);
  return table(['Package', 'Version', 'Licence'], rows);
}

function nameList(packages) {
  return packages.length === 0
    ? 'none'
    : packages
        .sort(byName)
        .map(({ name, version }) => `\`${name}@${version}\``)
        .join(', ');
}

function licenceTable(groups) {
  const licences = [...new Set(Object.values(groups).flat().map(licenceOf))].sort();
  const count = (group, licence) => group.filter((entry) => licenceOf(entry) === licence).length || '';
  const rows = licences.map((licence) => [
    licence,
    ...Object.values(groups).map((group) => count(group, licence)),
  ]);
  return table(['Licence', ...Object.keys(groups)], rows);
}

/** The generated section, from its heading to the end of the page. */
function renderGenerated() {
  const packages = readPackages();
  const inBrowsers = closure(importedForBrowsers(), packages);
  const toRun = packages.filter((entry) => !entry.dev && !entry.devOptional);
  const toDevelop = packages.filter((entry) => !toRun.includes(entry) && !inBrowsers.includes(entry));
  const nodes = Object.entries(builds).map(([platform, { name, version, integrity }]) => [
    platform,
    `\`${name}\``,
    version,
    `\`${integrity}\``,
  ]);
  return `${generatedHeading}

\`npm run build\` writes this section, from \`package-lock.json\`, the imports of \`src/console\` and \`src/docs-page\`, and \`scripts/choose-node.cjs\`; a test compares.

### <a id="licences"></a>Licences

Licences as the packages state them. Packages for every platform are counted, although an installation has only those of its own.

${licenceTable({ 'To run': toRun, 'In browsers': inBrowsers, 'To develop': toDevelop })}

### <a id="to-run"></a>To run

${packageTable(toRun.filter((entry) => !isForOnePlatform(entry)))}

And packages for one platform each: ${nameList(toRun.filter(isForOnePlatform))}.

### <a id="in-browsers"></a>In browsers

Packages that the console and the documentation import, and their dependencies. The build includes their used parts in the files for browsers.

${packageTable(inBrowsers)}

### <a id="install-scripts"></a>With an install script

To run: ${nameList(toRun.filter((entry) => entry.hasInstallScript))}.

To develop: ${nameList([...toDevelop, ...inBrowsers].filter((entry) => entry.hasInstallScript))}.

### <a id="without-integrity"></a>Without an integrity in the lockfile

To run: ${nameList(toRun.filter((entry) => !entry.integrity))}.

To develop: ${nameList([...toDevelop, ...inBrowsers].filter((entry) => !entry.integrity))}.

### <a id="node-builds"></a>Node, where it is taken from npm

${table(['Platform', 'Package', 'Version', 'Integrity'], nodes)}
`;
}

/** @returns docs/supply-chain.md as it should be: the part that people wrote, then the generated section. */
export function renderSupplyChainPage(page) {
  const [written] = page.split(generatedHeading);
  return `${written}${renderGenerated()}`;
}
