// npm run screenshots: installs and builds what is missing, and takes a picture of every screen of the console.
//
//   npm run screenshots                 all of them, into docs/screenshots
//   npm run screenshots -- flag tokens  those whose name contains one of the words
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';

await runCompiled('test/browser/take-screenshots.js');
