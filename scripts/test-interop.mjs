// npm run test:interop: generates clients from docs/openapi.json with several generators into .interop, runs each against
// a booted server and prints a table. Then it tries the published providers, as npm run test:providers does, and runs
// the test files that are marked .interop: they compare with other products or check with other tools.
//
//   npm run test:interop                                    every generator whose tools this machine has, and the providers
//   npm run test:interop -- hey-api openapi-generator-go    these generators
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';
import { runTests } from './lib/run-tests.mjs';

await runCompiled('test/interop/main.js');
if (process.argv.length === 2) {
  const { passed, failed } = await runTests(['.interop.']);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
