/** A result in TAP: how deep it stands, whether it is bad, and what is said of it after its name. */
const resultLine =
  /^(?<indent> *)(?<bad>not )?ok \d+\b.*?(?<skipped> # (?:SKIP|TODO)\b.*)?(?<timed> # time=\S+)?$/;
const indentWidth = 4;
const summary = /^# \{ total: \d+.*\}$/m;

/** Results of tests, which have a time; those of assertions have none. */
function resultsIn(output) {
  return output.split('\n').flatMap((line) => {
    const found = resultLine.exec(line)?.groups;
    if (found === undefined || (found.timed ?? found.skipped) === undefined) return [];
    const depth = found.indent.length / indentWidth;
    return [{ depth, isBad: found.bad !== undefined, isSkipped: found.skipped !== undefined }];
  });
}

/**
 * Counts the tests that a file's output tells of. A test that holds others counts by them, and its assertions not at all.
 *
 * @param end exit code, or the signal that ended the process. A file that did not come to its end, or that ended badly
 *   without saying why, has failed once.
 * @param isSkipFailure whether a test that was skipped has failed
 */
export function tallyOf(output, end, isSkipFailure = false) {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  /** By depth: the results of the test that is under way there, which come before its own. */
  const inner = [];
  for (const { depth, isBad, isSkipped } of resultsIn(output)) {
    const [children, badChildren] = [inner[depth + 1]?.all ?? 0, inner[depth + 1]?.bad ?? 0];
    inner.length = depth + 1;
    inner[depth] ??= { all: 0, bad: 0 };
    inner[depth].all += 1;
    if (isBad) inner[depth].bad += 1;
    if (isSkipped) tally[isSkipFailure ? 'failed' : 'skipped'] += 1;
    else if (isBad && badChildren === 0) tally.failed += 1;
    else if (!isBad && children === 0) tally.passed += 1;
  }
  const isComplete = end === 0 && summary.test(output);
  if (isComplete && tally.failed + tally.passed + tally.skipped === 0) tally.passed = 1;
  if (!isComplete && tally.failed === 0) tally.failed = 1;
  return tally;
}

const linesMax = 400;

/** What a failed file has to say, without everything that went well. */
export function failureText(output) {
  const lines = output.split('\n').filter((line) => !/^\s*(ok \d|1\.\.\d)|^\s*$/.test(line));
  const shown = lines.slice(0, linesMax).join('\n');
  return lines.length > linesMax ? `${shown}\n... and ${lines.length - linesMax} more lines` : shown;
}
