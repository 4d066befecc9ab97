// npm run screenshots: installs and builds what is missing, and takes a picture of every screen of the console.
//
//   npm run screenshots                 all of them, into docs/screenshots
//   npm run screenshots -- flag tokens  those whose name contains one of the words
//   npm run screenshots -- --walk       those of docs/console-walk.md; with --before CHECKOUT of an older console
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';

const program = process.argv[2] === '--walk' ? 'take-walk-pictures' : 'take-screenshots';
await runCompiled(`test/browser/${program}.js`);
