import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { describeShare, ProgressLine } from '../../src/cli/progress-line.ts';

/** A stream for progress, and the text written to it. */
function output(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: string) => written.push(text) };
}

/** Longer than the least time between two redraws of a terminal's line. */
const terminalPauseMs = 120;

t.test('progress is shown in whole units and percent', async (t) => {
  t.equal(describeShare('copied', 12.4, 40, 'MiB'), 'copied 12 of 40 MiB (31 %)');
  t.equal(describeShare('checked', 1999, 2000, 'flags'), 'checked 1,999 of 2,000 flags (99 %)');
  t.equal(describeShare('copied', 41, 40, 'MiB'), 'copied 41 of 40 MiB (100 %)', 'the store grew meanwhile');
  t.equal(describeShare('copied', 0, 0, 'MiB'), 'copied 0 of 0 MiB (100 %)');
});

t.test('a terminal has one line, which is rewritten and ended before other output', async (t) => {
  const terminal = output(true);
  const progress = new ProgressLine(terminal);
  progress.report(() => 'too soon');
  await setTimeout(terminalPauseMs);
  progress.report(() => 'first');
  progress.report(() => 'too soon');
  progress.report(() => 'verifying', true);
  progress.report(() => 'verifying', true);
  progress.end();
  progress.end();
  t.strictSame(terminal.written, ['\rfirst\u001B[K', '\rverifying\u001B[K', '\n']);
});

t.test('without a terminal progress comes as separate lines, at most one a second', async (t) => {
  const file = output(false);
  const progress = new ProgressLine(file);
  progress.report(() => 'too soon');
  progress.report(() => 'half', true);
  progress.end();
  t.strictSame(file.written, ['half\n']);
});
