// npm run check: format, lint, types, import directions, house rules, dead code. Runs all, then says what failed.
import './lib/choose-node.mjs';
import { runChecks } from './lib/checks.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';

await ensureInstalled();
const { passed, failed } = await runChecks();
console.log(
  failed.length === 0 ? `${passed} checks passed` : `${passed} checks passed, failed: ${failed.join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
