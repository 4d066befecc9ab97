const costliestShown = 10;

function rowsOf(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows.map(
    (row) => `#   ${row.map((cell, column) => String(cell).padStart(widths[column])).join('  ')}`,
  );
}

const inSeconds = (seconds) => `${seconds.toFixed(0)} s`;

/**
 * Where the time of a run went.
 * @param parallel the lanes that ran at the same time: a lane is idle from its end until the last of them ends
 * @param after the lane that ran after them, alone
 */
export function lanesText(parallel, after) {
  const longest = Math.max(...parallel.map(({ seconds }) => seconds));
  const rowOf =
    (idle) =>
    ({ lane, files, seconds }) => [
      lane,
      `${files.length} files`,
      inSeconds(seconds),
      `idle for ${inSeconds(idle - seconds)}`,
    ];
  const alone = after.map((lane) => rowOf(lane.seconds)(lane));
  return ['# lanes', ...rowsOf([...parallel.map(rowOf(longest)), ...alone])].join('\n');
}

/** The files that took most CPU time, with the processes that they started. A browser's own processes are not all in it. */
export function costliestText(results) {
  const measured = results.filter(({ cpuSeconds }) => cpuSeconds !== null);
  if (measured.length === 0) return '# the CPU time of the files is not known on this system';
  const all = measured.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const most = measured.sort((one, other) => other.cpuSeconds - one.cpuSeconds).slice(0, costliestShown);
  const rows = most.map(({ name, cpuSeconds, seconds }) => [
    inSeconds(cpuSeconds),
    `in ${inSeconds(seconds)}`,
    name,
  ]);
  return [`# the files that took most of ${inSeconds(all)} of CPU time`, ...rowsOf(rows)].join('\n');
}
