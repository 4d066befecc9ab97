import type { Movement, RunsCompared, Verdict } from './compare-runs.ts';
import { formatNumber, formatRatio, formatShare } from './numbers.ts';
import { layOutColumns } from './text-table.ts';

/** The order of verdicts: what moved comes first. */
const order: readonly Verdict[] = ['worse', 'better', 'within the noise', 'one round: cannot tell'];

function rowOf({ comparison, contender, metric, of, digits, before, now, verdict }: Movement): string[] {
  const shown = (value: number): string =>
    of === 'ratio' ? formatRatio(value) : formatNumber(value, digits);
  const change = before === 0 ? '–' : `${now > before ? '+' : ''}${formatShare((now - before) / before)}`;
  return [`${comparison}, ${contender}: ${metric}`, of, shown(before), shown(now), change, verdict];
}

/** @returns what moved since a saved run, as a table for a terminal */
export function movementsText({ movements, onlyOne, unlike }: RunsCompared, saved: string): string {
  const sorted = order.flatMap((verdict) => movements.filter((movement) => movement.verdict === verdict));
  const rows = [['since the saved run', 'of', 'then', 'now', 'change', 'verdict'], ...sorted.map(rowOf)];
  const moved = movements.filter(({ verdict }) => verdict === 'better' || verdict === 'worse').length;
  return [
    `Against ${saved}: ${moved} of ${movements.length} figures moved, which means: the rounds of both runs do not overlap, and the medians differ by over 2 %.`,
    '',
    ...(sorted.length === 0 ? [] : layOutColumns(rows)),
    ...unlike.map((text) => `unlike: ${text}`),
    ...onlyOne,
  ].join('\n');
}
