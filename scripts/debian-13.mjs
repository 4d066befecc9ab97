// Tries another package of uWebSockets.js in a Debian 13 (glibc 2.41) with Node 24, which it makes below a temporary
// folder. It installs, compiles and builds there the files that git tracks, and runs tests. Needs root on Debian and
// Linux on x64; takes some minutes and 2 GB.
//
//   node scripts/debian-13.mjs                                                       the package that decision 0058 names, the HTTP tests
//   node scripts/debian-13.mjs 'uNetworking/uWebSockets.js#v20.57.0' conformance/    any package, any tests
import './lib/choose-node.mjs';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { takeNode } from './choose-node.cjs';
import { debianBase } from './lib/debian-base.mjs';
import { newerNodes } from './lib/newer-nodes.mjs';
import { root } from './lib/root.mjs';

const httpTests = [
  'http/',
  'conformance/',
  'front/',
  'worker/',
  'ofrep/',
  'robustness/bad-input',
  'robustness/unended-requests',
  'robustness/requests-at-once',
];

/** Runs in the new root, which has a /proc and a /dev and nothing else of this machine. */
const inside = `
system=$1
shift
mount --make-rprivate / && mount --rbind /dev "$system/dev" && exec chroot "$system" /bin/sh -ec '
  cd /burgee
  export HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin CI=true
  echo "$(ldd --version | head -n 1), Node $(node --version)"
  node scripts/build.mjs
  node_modules/.bin/tsgo -p tsconfig.json
  exec node --input-type=module -e "
    import { runTests } from \\"./scripts/lib/run-tests.mjs\\";
    const { passed, failed } = await runTests(process.argv.slice(1));
    console.log(passed + \\" passed, \\" + failed + \\" failed\\");
    process.exitCode = failed === 0 ? 0 : 1;
  " "$@"
' sh "$@"`;

function run(command, words, options = {}) {
  const { status, error } = spawnSync(command, words, { stdio: 'inherit', ...options });
  if (status !== 0) throw error ?? new Error(`${command} ${words[0]}: exit ${status}`);
}

/** The build packs the client with npm. */
function installNpm(prefix) {
  const program = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  cpSync(join(dirname(program), '..'), join(prefix, 'lib', 'node_modules', 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin', 'npm'));
}

/** The files that git tracks, with the packages of the lockfile; the HTTP server comes from the given package. */
function installCheckout(checkout, server) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 };
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    options,
  );
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(join(checkout, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(checkout, file));
  }
  run('npm', ['ci', '--loglevel=error'], { cwd: checkout });
  run('npm', ['install', '--save-exact', '--loglevel=error', `uWebSockets.js@${server}`], { cwd: checkout });
}

const [server = 'npm:@btc-vision/uwebsockets.js@20.57.0', ...names] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'burgee-debian-13-'));
try {
  const system = join(folder, 'root');
  mkdirSync(system);
  run('tar', ['-xf', debianBase(), '-C', system]);
  cpSync(takeNode(newerNodes[24], folder), join(system, 'usr', 'local', 'bin', 'node'));
  installNpm(join(system, 'usr', 'local'));
  installCheckout(join(system, 'burgee'), server);
  const words = ['--mount', '--pid', '--fork', '--kill-child', `--mount-proc=${join(system, 'proc')}`];
  const tests = names.length === 0 ? httpTests : names;
  run('unshare', [...words, 'sh', '-c', inside, 'sh', system, ...tests]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
