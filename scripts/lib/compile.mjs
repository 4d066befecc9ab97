import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeOperationTables } from './operation-tables.mjs';
import { root } from './root.mjs';
import { runTool } from './run.mjs';

/*
 * Two TypeScript projects compile to dist: src alone, and everything but the web app. TypeScript trusts each project's
 * build info even after its output was removed, or overwritten by the other project.
 */
const sourceNotes = join(root, 'dist', '.tsbuildinfo-src');
const allNotes = join(root, 'dist', '.tsbuildinfo');

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Removes a project's build info if the other project has compiled since. */
function forgetOldNotes(own, other) {
  if (changedAt(other) > changedAt(own)) rmSync(own, { force: true });
}

/** Compiles src to dist/src. @returns the compiler's exit code */
export function compileSource() {
  forgetOldNotes(sourceNotes, allNotes);
  writeOperationTables();
  if (!existsSync(join(root, 'dist', 'src', 'main.js'))) rmSync(sourceNotes, { force: true });
  return runTool('tsgo', ['-p', 'tsconfig.build.json']);
}

/** The files below a folder that have this ending, without it. */
function namesIn(folder, ending) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
}

/** Removes the output of sources that no longer exist, and the build info if some output is missing. */
function tidyOutput(folder, isLeftOut = () => false) {
  const compiled = new Set(namesIn(join('dist', folder), '.js').filter((name) => !isLeftOut(name)));
  for (const name of namesIn(folder, '.ts')) {
    const isCompiled = !name.endsWith('.d') && !isLeftOut(name);
    if (isCompiled && !compiled.delete(name)) rmSync(allNotes, { force: true });
  }
  for (const name of compiled) rmSync(join(root, 'dist', folder, `${name}.js`));
}

/** Compiles src, test and bench. No output of a removed source is left for a test to load. @returns tsc's exit code */
export function compileAll() {
  forgetOldNotes(allNotes, sourceNotes);
  writeOperationTables();
  // Of the web app, this project compiles only what tests import.
  tidyOutput('src', (name) => name.startsWith('console'));
  tidyOutput('test');
  tidyOutput('bench');
  return runTool('tsgo', ['-p', 'tsconfig.json']);
}
