import { houseProblems } from './house-rules.mjs';
import { runTool } from './run.mjs';

async function checkHouseRules() {
  const problems = houseProblems();
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

/** tsc over all but the web app. */
function checkTypes() {
  return runTool('tsc', ['--noEmit', '-p', 'tsconfig.json']);
}

/** In order of how quickly they tell. Each yields an exit code. */
const checks = (types) => [
  ['house rules', checkHouseRules],
  ['import directions', () => runTool('depcruise', ['--config', '.dependency-cruiser.cjs', 'src'])],
  ['dead code', () => runTool('knip', [])],
  ['format and lint', () => runTool('biome', ['ci', '--error-on-warnings', '.'])],
  ["the web app's types", () => runTool('tsc', ['-p', 'src/console/tsconfig.json'])],
  ['types', types],
];

/**
 * Runs them all.
 * @param types looks at the types of all but the web app; who compiles them anyway gives that compiler's exit code
 */
export async function runChecks(types = checkTypes) {
  const failed = [];
  const all = checks(types);
  for (const [name, check] of all) {
    console.log(`# ${name}`);
    if ((await check()) !== 0) failed.push(name);
  }
  return { passed: all.length - failed.length, failed };
}
