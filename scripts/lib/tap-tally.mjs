/** A result line of TAP: its indentation, whether it failed, and the directive after its name. */
const resultLine =
  /^(?<indent> *)(?<bad>not )?ok \d+\b.*?(?<skipped> # (?:SKIP|TODO)\b.*)?(?<timed> # time=\S+)?$/;
const indentWidth = 4;
const summary = /^# \{ total: \d+.*\}$/m;

/** A test's result has a time; an assertion's has none. */
function resultsIn(output) {
  return output.split('\n').flatMap((line) => {
    const found = resultLine.exec(line)?.groups;
    if (found === undefined || (found.timed ?? found.skipped) === undefined) return [];
    const depth = found.indent.length / indentWidth;
    return [{ depth, isBad: found.bad !== undefined, isSkipped: found.skipped !== undefined }];
  });
}

/**
 * Counts the tests in a file's output. A test that contains tests counts as those; assertions are not counted.
 *
 * @param end exit code, or the signal that ended the process. A file without tap's closing summary, or with a bad exit,
 *   counts as one failure if none of its tests failed.
 * @param isSkipFailure whether a skipped test counts as failed
 */
export function tallyOf(output, end, isSkipFailure = false) {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  /** By depth: results so far of the test under way there. TAP prints them before the test's own result. */
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

/** Lines of a long output that are shown: its beginning, and its end, where what failed stands. */
const shownLines = { first: 100, last: 300 };

/** The output of a failed file without its passed results. */
export function failureText(output) {
  const lines = output.split('\n').filter((line) => !/^\s*(ok \d|1\.\.\d)|^\s*$/.test(line));
  const { first, last } = shownLines;
  const left = lines.length - first - last;
  if (left <= 0) return lines.join('\n');
  return [...lines.slice(0, first), `... ${left} lines ...`, ...lines.slice(-last)].join('\n');
}
