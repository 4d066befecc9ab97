import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/support/package-root.ts';
import { atExit } from './at-exit.ts';

const run = promisify(execFile);

/** Modules that the server loads first (`--import`), each of which takes some of the counting out of every thread. */
const modules = {
  withoutMetrics: 'without-metrics',
  withoutEvaluationCounts: 'without-evaluation-counts',
} as const;

export type CountingModule = keyof typeof modules;

/** Burgee, bundled as it is for production, and beside it what can take its counting out. */
export interface CountingProgram {
  readonly main: string;
  /** URLs for `--import`. */
  importsOf(names: readonly CountingModule[]): readonly string[];
}

/**
 * Bundles the server once more, with those modules as entries: they must share the server's own classes, which its bundle
 * for production shows to nobody. The bundle is removed when this process ends.
 *
 * @throws Error with what the bundler says
 */
export async function bundleCountingProgram(): Promise<CountingProgram> {
  // Below dist, where its packages are found, and this program's own: several may be at it at once.
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
