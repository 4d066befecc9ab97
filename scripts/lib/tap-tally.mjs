/** tap's own count, the last comment of its output: `# { total: 3, pass: 2, fail: 1 }`. It counts assertions. */
const summary = /^# \{ total: \d+.*\}$/gm;

function countOf(text, name) {
  const found = new RegExp(`\\b${name}: (\\d+)`).exec(text);
  return found === null ? 0 : Number(found[1]);
}

/**
 * Reads a file's count from its output.
 *
 * @param end exit code, or the signal that ended the process. A file that did not come to its end, or that ended badly
 *   without saying why, has failed once.
 */
export function tallyOf(output, end) {
  const text = output.match(summary)?.at(-1) ?? '';
  const skipped = countOf(text, 'skip') + countOf(text, 'todo');
  const tally = { passed: countOf(text, 'pass'), failed: countOf(text, 'fail'), skipped };
  if (tally.failed === 0 && (text === '' || end !== 0)) tally.failed = 1;
  return tally;
}

const linesMax = 400;

/** What a failed file has to say, without everything that went well. */
export function failureText(output) {
  const lines = output.split('\n').filter((line) => !/^\s*(ok \d|1\.\.\d)|^\s*$/.test(line));
  const shown = lines.slice(0, linesMax).join('\n');
  return lines.length > linesMax ? `${shown}\n... and ${lines.length - linesMax} more lines` : shown;
}
