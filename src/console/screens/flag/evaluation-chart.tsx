import type { CSSProperties } from 'react';
import { once } from '../../parts/once.ts';
import { numberWords } from '../../parts/words.ts';
import classes from './evaluation-chart.module.css';

export interface ShownSeries {
  /** Beginnings of hours in Unix milliseconds, ascending. */
  readonly hours: readonly number[];
  readonly on: readonly number[];
  readonly off: readonly number[];
  readonly onTotal: number;
  readonly offTotal: number;
}

const hourWords = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }));
const dayWords = once(() => new Intl.DateTimeFormat('en-GB', { month: 'short', day: 'numeric' }));

/** Every this many hours the time is written below. */
const timeEvery = 3;

/** A line is drawn at each multiple of it: 1, 2 or 5 and zeros. */
function stepOf(most: number): number {
  const linesMax = 5;
  const least = Math.max(1, most / linesMax);
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least) ?? 10;
  return factor * power;
}

function percent(part: number, whole: number): string {
  return `${(100 * part) / whole}%`;
}

/** The last 24 hours as bars, on within all. The table below has the same numbers. */
export function EvaluationChart({ series: { hours, on, off } }: { readonly series: ShownSeries }) {
  const all = hours.map((_, hour) => (on[hour] ?? 0) + (off[hour] ?? 0));
  const most = Math.max(1, ...all);
  const step = stepOf(most);
  const lineCount = Math.ceil(most / step);
  const top = lineCount * step;
  const lines = Array.from({ length: lineCount + 1 }, (_, line) => line * step);
  const days = hours.map((at) => dayWords().format(at));
  return (
    <div className={classes.chart} aria-hidden="true">
      <div className={classes.lines}>
        {lines.map((count) => (
          <span key={count} className={classes.line} style={{ bottom: percent(count, top) }}>
            <span className={classes.number}>{numberWords(count)}</span>
          </span>
        ))}
      </div>
      <div className={classes.bars}>
        {hours.map((at, hour) => {
          const [whole, part] = [all[hour] ?? 0, on[hour] ?? 0];
          const day = days[hour] === days[hour - timeEvery] ? null : days[hour];
          return (
            <div
              key={at}
              className={classes.hour}
              title={`${days[hour]}, ${hourWords().format(at)}: ${numberWords(part)} on, ${numberWords(whole - part)} off`}
            >
              {whole > 0 && (
                <span
                  className={classes.bar}
                  style={{ height: percent(whole, top), '--on-part': percent(part, whole) } as CSSProperties}
                />
              )}
              {hour % timeEvery === 1 && (
                <span className={classes.time}>
                  {hourWords().format(at)}
                  <span className={classes.day}>{day}</span>
                </span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
