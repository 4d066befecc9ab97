// npm run test:providers: installs the published OpenFeature providers of several languages into .providers, asks each
// the same questions against a booted server, changes a flag and waits until each sees it. Prints a table.
//
//   npm run test:providers                              every language whose tools this machine has
//   npm run test:providers -- node python               these languages
//   BURGEE_TEST_PROVIDERS=all npm run test:providers    a missing tool is a failure
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';

await runCompiled('test/providers/main.js');
