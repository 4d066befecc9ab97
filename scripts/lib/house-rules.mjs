import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStaleTables } from './operation-tables.mjs';
import { root } from './root.mjs';

/** Rules that no linter has. Each names the files it is about, a pattern no line may match, and why. */
const rules = [
  {
    // uWebSockets.js takes one setting from the environment, before it is imported: http/ may write that.
    files: (path) => path.startsWith('src/') && !path.startsWith('src/config/'),
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
    // The bench suite's peers are installed into bench/peers/node_modules.
    if (entry.name === 'node_modules') continue;
    if (entry.isDirectory()) yield* filesIn(path);
    else if (/[.]tsx?$/.test(entry.name)) yield path;
  }
}

/** @returns a line for each place that breaks a rule. */
export function houseProblems() {
  const problems = [];
  for (const path of [...filesIn('src'), ...filesIn('test'), ...filesIn('bench')]) {
    if (/[/]index[.]tsx?$/.test(path)) problems.push(`${path}: no barrels, no index.ts`);
    for (const [index, line] of readFileSync(join(root, path), 'utf8').split('\n').entries()) {
      for (const { files, pattern, why } of rules) {
        if (files(path) && pattern.test(line)) problems.push(`${path}:${index + 1}: ${why}`);
      }
    }
  }
  for (const [path] of findStaleTables()) problems.push(`${path}: not as the operations say: npm run build`);
  return problems;
}
