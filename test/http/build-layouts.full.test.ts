import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Packages of uWebSockets.js have their builds in one of two folders: Burgee runs with either. */

const root = repositoryRoot();
const folders = ['dist/bin', '.'];
const build = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

/** The build of the package that is installed here. */
function installedBuild(): string {
  const found = folders
    .map((folder) => join(root, 'node_modules', 'uWebSockets.js', folder, build))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${build}`);
  return found;
}

/** An installation whose package of the HTTP server has its builds in this folder; null: it has none. */
function install(t: Test, buildFolder: string | null): string {
  const directory = temporaryDirectory(t);
  const packages = join(directory, 'node_modules');
  mkdirSync(packages);
  copyFileSync(join(root, 'package.json'), join(directory, 'package.json'));
  cpSync(join(root, 'dist', 'src'), join(directory, 'dist', 'src'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  const server = join(packages, 'uWebSockets.js');
  rmSync(server);
  mkdirSync(server);
  copyFileSync(join(root, 'node_modules', 'uWebSockets.js', 'package.json'), join(server, 'package.json'));
  if (buildFolder === null) return directory;
  mkdirSync(join(server, buildFolder), { recursive: true });
  copyFileSync(installedBuild(), join(server, buildFolder, build));
  return directory;
}

/** Loads the module that has the addon, and makes an app with it. */
function makeApp(directory: string) {
  const program = `const { createApp } = await import('./dist/src/http/uws.js'); console.log(typeof createApp().listen)`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: directory,
    encoding: 'utf8',
  });
}

for (const folder of folders) {
  t.test(`the addon is found in the package's ${folder}`, async (t) => {
    const { status, stdout, stderr } = makeApp(install(t, folder));
    t.equal(status, 0, stderr);
    t.equal(stdout, 'function\n');
  });
}

t.test('a package without a build for this Node is named, and what to do', async (t) => {
  const { status, stderr } = makeApp(install(t, null));
  t.equal(status, 1);
  t.match(stderr, `has no ${build}`);
  t.match(stderr, '0058-which-node-runs-burgee.md');
});
