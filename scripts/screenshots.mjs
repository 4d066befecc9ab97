// npm run screenshots: installs and builds what is missing, and takes a picture of every screen of the console.
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';

const usage = `npm run screenshots [-- NAME…]
  all screens, or those whose name contains one of the words, into docs/screenshots
npm run screenshots -- --walk [--before CHECKOUT] [NAME…]
  the pictures of docs/console-walk.md; with --before those of an older console, from its built checkout`;

/** @returns null when the words are no command */
function programOf([first, second, third = '']) {
  const isWalk = first === '--walk';
  const isBefore = isWalk && second === '--before';
  if (isBefore && (third === '' || third.startsWith('-'))) return null;
  const names = process.argv.slice(isBefore ? 5 : isWalk ? 3 : 2);
  if (names.some((name) => name.startsWith('-'))) return null;
  return isWalk ? 'take-walk-pictures' : 'take-screenshots';
}

const words = process.argv.slice(2);
const program = programOf(words);
if (words.includes('--help')) console.log(usage);
else if (program === null) {
  console.error(usage);
  process.exitCode = 1;
} else await runCompiled(`test/browser/${program}.js`);
