import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/support/package-root.ts';
import { atExit } from './at-exit.ts';

const run = promisify(execFile);

/** Modules that the server loads first (`--import`). Each removes a part of the counting from every thread. */
const modules = {
  withoutMetrics: 'without-metrics',
  withoutEvaluationCounts: 'without-evaluation-counts',
} as const;

export type CountingModule = keyof typeof modules;

/** Burgee bundled as for production, together with modules that remove its counting. */
export interface CountingProgram {
  readonly main: string;
  /** URLs for `--import`. */
  importsOf(names: readonly CountingModule[]): readonly string[];
}

/**
 * Bundles the server again, with those modules as entries. They must share the server's classes, which the bundle for
 * production does not export. The bundle is removed when this process ends.
 *
 * @throws Error with the bundler's output
 */
export async function bundleCountingProgram(): Promise<CountingProgram> {
  // Below dist, where Node finds the packages. Each process has its own folder, because several may run at once.
  const folder = mkdtempSync(join(import.meta.dirname, 'counting-'));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  const root = packageRoot();
  const sources = Object.values(modules).map((name) => join('bench', 'servers', `${name}.ts`));
  const script = join(root, 'scripts', 'build-server.mjs');
  await run(process.execPath, [script, folder, ...sources]);
  return {
    main: join(folder, 'main.js'),
    importsOf: (names) => names.map((name) => pathToFileURL(join(folder, `${modules[name]}.js`)).href),
  };
}
