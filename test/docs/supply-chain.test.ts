import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* docs/supply-chain.md must match the installed packages. */
interface Locked {
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  /** A folder of this repository. */
  readonly link?: boolean;
}

const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/supply-chain.md');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

t.test('its second half matches the lockfile; `npm run build` writes it anew', async (t) => {
  const { renderSupplyChainPage } = (await import(
    pathToFileURL(join(root, 'scripts', 'lib', 'supply-chain.mjs')).href
  )) as { renderSupplyChainPage: (page: string) => string };
  t.equal(page, renderSupplyChainPage(page));
});

t.test('the licence of each package that a release contains is allowed, and its text is there', async (t) => {
  const { renderThirdPartyLicenses } = (await import(
    pathToFileURL(join(root, 'scripts', 'lib', 'third-party-licenses.mjs')).href
  )) as { renderThirdPartyLicenses: (checkout: string, packages?: readonly object[]) => string };
  const text = renderThirdPartyLicenses(root);
  for (const name of ['react-dom', '@mantine/core', 'pg-types', 'weak-lru-cache', 'msgpackr-extract'])
    t.match(text, new RegExp(`^${name} \\d[^\\n]* \\(MIT\\)`, 'm'));
  const withoutPackages = temporaryDirectory(t);
  copyFileSync(join(root, 'LICENSE'), join(withoutPackages, 'LICENSE'));
  t.throws(() => renderThirdPartyLicenses(withoutPackages), /lmdb: the text of its licence is missing/);
  const copyleft = {
    name: 'lmdb',
    path: 'node_modules/lmdb',
    version: '1.0.0',
    license: 'GPL-3.0',
    builds: [],
  };
  t.throws(() => renderThirdPartyLicenses(root, [copyleft]), /lmdb: GPL-3.0 is not on the list/);
});

t.test('installed packages have the licence and the install scripts that the lockfile states', async (t) => {
  let compared = 0;
  for (const [path, { license, hasInstallScript }] of locked) {
    const file = join(root, path, 'package.json');
    // A build for another platform is not installed.
    if (!existsSync(file)) continue;
    const own = JSON.parse(readFileSync(file, 'utf8')) as {
      license?: string;
      scripts?: Readonly<Record<string, string>>;
    };
    const scripts = ['preinstall', 'install', 'postinstall'].filter((name) => own.scripts?.[name]);
    t.same([own.license, scripts.length > 0], [license, hasInstallScript ?? false], path);
    compared += 1;
  }
  t.ok(compared > 300, `${compared} packages`);
});

t.test('the bill of materials has what a bundler includes, and the Node of the archives', async (t) => {
  const { addIncluded } = (await import(
    pathToFileURL(join(root, 'scripts', 'lib', 'bill-of-materials.mjs')).href
  )) as { addIncluded: (bill: object) => { components: readonly Record<string, unknown>[] } };
  const own = { 'bom-ref': 'lmdb@3.5.6', from: 'npm' };
  const { components } = addIncluded({ components: [own] });
  const find = (name: string) => components.find((each) => each['name'] === name);
  t.match(find('react'), { purl: /^pkg:npm\/react@\d/, licenses: [{ license: { id: 'MIT' } }] });
  t.match(find('@mantine/core'), {
    purl: /^pkg:npm\/%40mantine\/core@/,
    hashes: [{ content: /^[0-9a-f]{128}$/ }],
  });
  t.match(find('node'), { version: /^22[.]/, type: 'platform' });
  t.same(
    components.filter((each) => each['bom-ref'] === own['bom-ref']),
    [own],
    'npm knows more of its own',
  );
});

t.test('actions of the workflows are pinned by commit', async (t) => {
  const folder = join('.github', 'workflows');
  const used = readdirSync(join(root, folder)).flatMap((name) => [
    ...read(join(folder, name)).matchAll(/uses: (\S+)/g),
  ]);
  t.ok(used.length > 5);
  for (const [, action = ''] of used) t.match(action, /^([\w-]+\/[\w-]+@[0-9a-f]{40}|[.]\/\S+)$/);
});

t.test('no install script runs', async (t) => {
  t.match(read('.npmrc'), /^ignore-scripts=true$/m);
});

t.test('every package has an integrity, except some optional builds', async (t) => {
  for (const [path, { integrity, optional }] of locked)
    if (integrity === undefined) t.ok(optional, path);
    else t.match(integrity, /^sha512-/, path);
});

t.test('required versions are exact', async (t) => {
  const required = ['package.json', 'test/package.json'].flatMap((path) => {
    const { dependencies, devDependencies } = JSON.parse(read(path)) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string> | undefined
    >;
    return Object.entries({ ...dependencies, ...devDependencies });
  });
  t.ok(required.length > 50);
  for (const [name, version] of required)
    t.match(version, /^(npm:[@\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, name);
});

t.test(
  'the documented glibc is the newest that the native code of an installation needs',
  {
    skip:
      process.platform !== 'linux' || process.arch !== 'x64'
        ? 'native code for Linux on x64 was found'
        : false,
  },
  async (t) => {
    const run = locked.filter(([, { dev, devOptional }]) => !dev && !devOptional).map(([path]) => path);
    const addons = run.flatMap((path) =>
      existsSync(join(root, path))
        ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
            .filter(
              (file) => /[.]node$/.test(file) && !/musl|win32|darwin|arm|ia32|android|freebsd/.test(file),
            )
            .map((file) => join(root, path, file))
        : [],
    );
    t.ok(addons.length > 3, addons.join(', '));
    const asked = addons.flatMap((file) =>
      [...readFileSync(file, 'latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)),
    );
    const newest = `2.${Math.max(...asked)}`;
    t.match(read('docs/decisions/0058-which-node-runs-burgee.md'), `| glibc on Linux, at least | ${newest},`);
    for (const document of ['README.md', 'docs/install.md'])
      t.match(read(document), `glibc ${newest} or later`);
  },
);
