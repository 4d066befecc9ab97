import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStaleTables } from './operation-tables.mjs';
import { root } from './root.mjs';

/** Rules that no linter has. Each names its files, a pattern that no line of them may match, and the reason. */
const rules = [
  {
    // uWebSockets.js reads one setting from the environment when it is imported: http/ may write that one.
    // In a browser there is none: where the web app speaks of it, it shows code.
    files: (path) => path.startsWith('src/') && !/^src\/(config|console)\//.test(path),
    pattern: /process\.env(?!(\.UWS_|\['UWS_)\w+('\])? \?{0,2}=[^=])|\benv\b.* from 'node:process'/,
    why: 'the environment is read in src/config/ only',
  },
  { files: (path) => path.startsWith('src/'), pattern: /^export default /, why: 'no default exports' },
  {
    files: (path) => /^(src|test|bench)\//.test(path),
    pattern: /\b(t|test)\.only\(|@ts-ignore|@ts-nocheck/,
    why: 'every test runs, every type holds',
  },
  {
    files: (path) => path.startsWith('test/') && path !== 'test/support/fast-check.ts',
    pattern: /from 'fast-check'/,
    why: 'properties have a seed: import test/support/fast-check.ts',
  },
];

const declaration =
  /^export (?:(?:abstract |async |declare )*(?:class|const|enum|function\*?|interface|let|type) (\w+)|const \{([^}]*)\})/gm;

/** @returns the names that a file declares and exports, each once: a value and its type may share a name */
function* exportedNames(text) {
  for (const [, name, pattern] of text.matchAll(declaration)) {
    if (name !== undefined) yield name;
    // `export const { a: b } = …` declares b.
    else for (const part of pattern.split(',')) yield part.split(':').at(-1).trim();
  }
}

/** @param files paths and texts. @returns each name that several files declare, with their paths */
export function namesDeclaredTwice(files) {
  const paths = new Map();
  for (const [path, text] of files) {
    for (const name of new Set(exportedNames(text))) paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  paths.delete('');
  return new Map([...paths].filter(([, declaring]) => declaring.length > 1));
}

/**
 * One name for one thing: a name, of a type too, that two files of src declare and export is a finding, because a
 * reader who searches for it finds the wrong one. Exporting it again (`export { a } from`) declares nothing.
 *
 * @param files paths and texts of src
 */
function duplicateNameProblems(files) {
  return Array.from(
    namesDeclaredTwice(files),
    ([name, paths]) => `${paths.join(', ')}: ${name} is declared in several files: one name for one thing`,
  );
}

/** Longer files have more than one idea. */
const linesMax = 300;

/** @param files paths and texts of src. @returns one line for each that is too long */
export function longFileProblems(files) {
  const lengths = files.map(([path, text]) => [path, text.split('\n').length - 1]);
  return lengths
    .filter(([, lines]) => lines > linesMax)
    .map(([path, lines]) => `${path}: ${lines} lines; a file has at most ${linesMax}, and one idea`);
}

function* filesIn(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    // bench/peers/node_modules holds the bench suite's peers.
    if (entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* filesIn(path);
    else if (/[.]tsx?$/.test(entry.name)) yield path;
  }
}

/** @returns one line for each place that breaks a rule. */
export function houseProblems() {
  const texts = new Map(
    ['src', 'test', 'bench'].flatMap((folder) =>
      Array.from(filesIn(folder), (path) => [path, readFileSync(join(root, path), 'utf8')]),
    ),
  );
  const sources = [...texts].filter(([path]) => path.startsWith('src/'));
  const problems = [...duplicateNameProblems(sources), ...longFileProblems(sources)];
  for (const [path, text] of texts) {
    if (/[/]index[.]tsx?$/.test(path)) problems.push(`${path}: no barrels, no index.ts`);
    for (const [index, line] of text.split('\n').entries()) {
      for (const { files, pattern, why } of rules) {
        if (files(path) && pattern.test(line)) problems.push(`${path}:${index + 1}: ${why}`);
      }
    }
  }
  for (const [path] of findStaleTables()) problems.push(`${path}: not as the operations say: npm run build`);
  return problems;
}
