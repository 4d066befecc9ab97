import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './root.mjs';

/** Runs a program in the checkout. @returns its exit code; null when a signal ended it. */
export function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

/** Runs a script with the Node of this process. */
export function runNode(args, options) {
  return run(process.execPath, args, options);
}

/** Runs the command of an installed package. */
export function runTool(name, args, options = {}) {
  const isWindows = process.platform === 'win32';
  const command = join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name);
  return run(command, args, { shell: isWindows, ...options });
}
