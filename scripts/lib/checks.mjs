import { houseProblems } from './house-rules.mjs';
import { lintOpenApi } from './lint-openapi.mjs';
import { runTool } from './run.mjs';

async function checkHouseRules() {
  const problems = houseProblems();
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

/** Checks the types of everything but the web app. */
function checkTypes() {
  return runTool('tsgo', ['--noEmit', '-p', 'tsconfig.json']);
}

/** The quickest first. Each yields an exit code. */
const checks = (types) => [
  ['house rules', checkHouseRules],
  ['import directions', () => runTool('depcruise', ['--config', '.dependency-cruiser.cjs', 'src'])],
  ['dead code', () => runTool('knip', [])],
  ['OpenAPI document', lintOpenApi],
  ['format and lint', () => runTool('biome', ['ci', '--error-on-warnings', '.'])],
  ['the types of what browsers run', () => runTool('tsgo', ['-p', 'src/console/tsconfig.json'])],
  ['types', types],
];

/**
 * Runs all checks.
 * @param types checks the types of everything but the web app; a caller that compiles anyway passes that compiler's
 *   exit code
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
