import { join } from 'node:path';
import { compileAll } from './compile.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { root } from './root.mjs';
import { runNode } from './run.mjs';

/**
 * Installs, builds and compiles what is missing, then runs a compiled program with this command's arguments, and exits
 * with its exit code.
 * @param path below dist, such as test/campaigns/main.js
 */
export async function runCompiled(path) {
  await ensureInstalled();
  await ensureBuilt();
  await compileAll();
  const program = join(root, 'dist', path);
  const code = await runNode(['--enable-source-maps', program, ...process.argv.slice(2)]);
  process.exitCode = code ?? 1;
}
