// npm run screenshots: installs and builds what is missing, and takes a picture of every screen of the console.
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';

const usage = `npm run screenshots [-- NAME…]
  all screens, or those whose name contains one of the words, into docs/screenshots`;

const words = process.argv.slice(2);
if (words.some((word) => word.startsWith('-'))) {
  console.error(usage);
  process.exitCode = words.includes('--help') ? 0 : 1;
} else await runCompiled('test/browser/take-screenshots.js');
