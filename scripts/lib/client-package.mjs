import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { publishedFields, releaseNames } from './release-names.mjs';
import { root } from './root.mjs';
import { runTool } from './run.mjs';

const source = join(root, 'src', 'sdk');
const written = join(source, 'package');

/** Entries of the package, by the names of their files. */
const entries = { connect: '.', openfeature: './openfeature', testing: './testing' };
const dependencies = ['eventsource-parser'];
const peers = ['@openfeature/server-sdk'];
/** Folder of the same entries for `require`, with types that TypeScript reads as those of CommonJS. */
const commonJs = './cjs';

/**
 * Bundles and packs the client in a folder of its own, because several processes may do so at the same time.
 * @returns the path of the packed package below dist
 */
export async function makeClientPackage() {
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  const temporary = mkdtempSync(join(dist, 'client-'));
  try {
    const folder = join(temporary, 'package');
    mkdirSync(folder);
    await bundle(folder);
    await declareTypes(folder, join(temporary, 'types'));
    writeFileSync(join(folder, commonJs, 'package.json'), '{"type":"commonjs","sideEffects":false}\n');
    cpSync(written, folder, { recursive: true });
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(folder), null, 2)}\n`);
    const name = pack(folder, temporary);
    // The rename is atomic: a process that reads the package meanwhile gets the former one or this one, whole.
    renameSync(join(temporary, name), join(dist, name));
    return join(dist, name);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** @returns the name of the packed package in the target */
function pack(folder, target) {
  const npm = process.env.npm_execpath;
  const [command, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', target];
  const printed = execFileSync(command, [...before, ...args], { cwd: folder, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(printed);
  return filename;
}

async function bundle(folder) {
  const bundled = await rolldown({
    input: Object.fromEntries(Object.keys(entries).map((name) => [name, join(source, `${name}.ts`)])),
    platform: 'node',
    external: [/^node:/, ...dependencies, ...peers],
    treeshake: { moduleSideEffects: false },
    // Node 18 has this one as a module only.
    transform: { target: 'es2022', inject: { crypto: ['node:crypto', 'webcrypto'] } },
    onwarn: (warning) => {
      throw new Error(warning.message);
    },
  });
  for (const format of ['esm', 'cjs']) {
    const { output } = await bundled.write({
      dir: format === 'cjs' ? join(folder, commonJs) : folder,
      format,
      entryFileNames: '[name].js',
      chunkFileNames: 'burgee-[name].js',
      comments: { legal: true, annotation: true, jsdoc: false },
    });
    const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
    const foreign = modules.find((id) => id.includes('node_modules'));
    if (foreign !== undefined) throw new Error(`the client would contain ${foreign}, without its licence`);
  }
  await bundled.close();
}

/** The declarations of the entries, and of what they import. Checks that Node 18 has what the client uses, too. */
async function declareTypes(folder, typesFolder) {
  const code = await runTool('tsc', ['-p', join('src', 'sdk', 'tsconfig.json'), '--outDir', typesFolder]);
  if (code !== 0) throw new Error('the types of the client are not right');
  const copied = new Set();
  const copy = (path) => copyDeclaration(path, { folder, typesFolder, copied });
  for (const name of Object.keys(entries)) copy(join(typesFolder, 'sdk', `${name}.d.ts`));
}

/** Copies a declaration and, once each, those that it imports. */
function copyDeclaration(path, places) {
  const { folder, typesFolder, copied } = places;
  if (copied.has(path)) return;
  copied.add(path);
  const text = readFileSync(path, 'utf8');
  const declared = text.replaceAll(/(from\s+|import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2');
  for (const format of ['.', commonJs]) {
    const target = join(folder, format, 'types', path.slice(typesFolder.length + 1));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, declared);
  }
  for (const [, imported] of text.matchAll(/(?:from\s+|import\()['"](\.[^'"]+)\.ts['"]/g)) {
    copyDeclaration(resolve(dirname(path), `${imported}.d.ts`), places);
  }
}

function manifest(folder) {
  const { version, license, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = readdirSync(folder);
  return {
    name: releaseNames.client,
    version,
    description: 'Feature flags of Burgee, evaluated in your process',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=18' },
    exports: {
      ...Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [
          entry,
          { require: filesOf(name, commonJs), default: filesOf(name, '.') },
        ]),
      ),
      './package.json': './package.json',
    },
    // Read by tools that know no exports, such as TypeScript with node10.
    main: filesOf('connect', commonJs).default,
    types: filesOf('connect', commonJs).types,
    typesVersions: {
      '*': Object.fromEntries(
        ['openfeature', 'testing'].map((name) => [name, [filesOf(name, commonJs).types]]),
      ),
    },
    files: files.filter((file) => file !== 'package.json').sort(),
    dependencies: pick(devDependencies, dependencies),
    peerDependencies: { '@openfeature/server-sdk': '^1.13.0' },
    peerDependenciesMeta: { '@openfeature/server-sdk': { optional: true } },
    keywords: ['feature-flags', 'feature-toggles', 'openfeature', 'burgee'],
    ...publishedFields(),
  };
}

/** A program of an entry, and its types. */
function filesOf(name, folder) {
  return { types: `${folder}/types/sdk/${name}.d.ts`, default: `${folder}/${name}.js` };
}

function pick(versions, names) {
  return Object.fromEntries(names.map((name) => [name, versions[name]]));
}
