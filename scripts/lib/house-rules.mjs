import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStaleTables } from './operation-tables.mjs';
import { root } from './root.mjs';

/** Rules that no linter has. Each names its files, a pattern that no line of them may match, and the reason. */
const rules = [
  {
    // Two exceptions: http/ sets the variable that uWebSockets.js reads when it is imported, and the web app shows
    // code that mentions the environment.
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
  const problems = [];
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
