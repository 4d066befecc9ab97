import { houseProblems } from './house-rules.mjs';
import { runTool } from './run.mjs';

async function checkHouseRules() {
  const problems = houseProblems();
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

/** In order of how quickly they tell. Each yields an exit code. */
const checks = [
  ['house rules', checkHouseRules],
  ['format and lint', () => runTool('biome', ['ci', '--error-on-warnings', '.'])],
  ['types', () => runTool('tsc', ['--noEmit', '-p', 'tsconfig.json'])],
  ["the web app's types", () => runTool('tsc', ['-p', 'src/console/tsconfig.json'])],
  ['import directions', () => runTool('depcruise', ['--config', '.dependency-cruiser.cjs', 'src'])],
  ['dead code', () => runTool('knip', [])],
];

/** Runs them all. */
export async function runChecks() {
  const failed = [];
  for (const [name, check] of checks) {
    console.log(`# ${name}`);
    if ((await check()) !== 0) failed.push(name);
  }
  return { passed: checks.length - failed.length, failed };
}
