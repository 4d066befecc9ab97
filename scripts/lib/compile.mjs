import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeOperationTables } from './operation-tables.mjs';
import { root } from './root.mjs';
import { runTool } from './run.mjs';

/*
 * Two projects compile to dist: the sources alone, and all but the web app. TypeScript keeps notes of each, and believes
 * them even when what they tell of was since removed or written by the other.
 */
const sourceNotes = join(root, 'dist', '.tsbuildinfo-src');
const allNotes = join(root, 'dist', '.tsbuildinfo');

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Forgets a project's notes if the other one has written since. */
function forgetOldNotes(own, other) {
  if (changedAt(other) > changedAt(own)) rmSync(own, { force: true });
}

/** Compiles src to dist/src. @returns the compiler's exit code */
export function compileSource() {
  forgetOldNotes(sourceNotes, allNotes);
  writeOperationTables();
  if (!existsSync(join(root, 'dist', 'src', 'main.js'))) rmSync(sourceNotes, { force: true });
  return runTool('tsc', ['-p', 'tsconfig.build.json']);
}

/** The files below a folder, without their ending. */
function namesIn(folder, ending) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
}

/** Removes what was compiled of files that are gone, and forgets the notes if something is missing. */
function tidyOutput(folder, isLeftOut = () => false) {
  const compiled = new Set(namesIn(join('dist', folder), '.js').filter((name) => !isLeftOut(name)));
  for (const name of namesIn(folder, '.ts')) {
    const isCompiled = !name.endsWith('.d') && !isLeftOut(name);
    if (isCompiled && !compiled.delete(name)) rmSync(allNotes, { force: true });
  }
  for (const name of compiled) rmSync(join(root, 'dist', folder, `${name}.js`));
}

/** Compiles src, test and bench, so that no test runs against what is no longer there. @returns tsc's exit code */
export function compileAll() {
  forgetOldNotes(allNotes, sourceNotes);
  writeOperationTables();
  // Of the web app only what tests import is compiled here.
  tidyOutput('src', (name) => name.startsWith('console'));
  tidyOutput('test');
  tidyOutput('bench');
  return runTool('tsc', ['-p', 'tsconfig.json']);
}
