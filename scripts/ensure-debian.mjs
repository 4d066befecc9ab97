// Finds the programs that some tests need: Chromium, proxies, systemd-analyze. As root on Debian it installs
// missing ones; otherwise it says what to install and exits with 1.
//
//   node scripts/ensure-debian.mjs haproxy openssl      prints {"haproxy":"/usr/sbin/haproxy","openssl":"/usr/bin/openssl"}
import './lib/choose-node.mjs';
import { ensureDebian, runLocked } from './lib/ensure-debian.mjs';

const [flag, ...rest] = process.argv.slice(2);
const isLocked = flag === '--locked';
const commands = isLocked ? rest : process.argv.slice(2);

function report({ paths, problem }) {
  if (problem === undefined) console.log(JSON.stringify(paths));
  else console.error(problem);
  return problem === undefined ? 0 : 1;
}

if (commands.length === 0) {
  console.error('Name the programs: node scripts/ensure-debian.mjs haproxy nginx');
  process.exitCode = 2;
} else {
  const code = isLocked ? null : runLocked(import.meta.filename, ['--locked', ...commands]);
  process.exitCode = code ?? report(ensureDebian(commands));
}
