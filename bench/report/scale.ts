/** A mapping from values to positions, with the values that get a grid line. */
export interface Scale {
  readonly ticks: readonly number[];
  place(value: number): number;
}

/** Steps between ticks: 1, 2, 2.5 or 5 times a power of ten. */
function niceStep(span: number, count: number): number {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= raw) ?? 10;
  return factor * power;
}

/** A linear scale from 0 to `most` or a little more, with a tick at 1, the base's ratio. */
export function linearScale(most: number, from: number, to: number): Scale {
  const step = niceStep(most, 5);
  const end = Math.ceil(most / step - 1e-9) * step;
  const count = Math.round(end / step);
  const steps = Array.from({ length: count + 1 }, (_unused, index) => Number((index * step).toPrecision(12)));
  const ticks = end < 1 || steps.includes(1) ? steps : [...steps, 1].sort((a, b) => a - b);
  return { ticks, place: (value) => from + ((to - from) * value) / end };
}

/** For up to so many powers of ten there is room for ticks at 2 and 5 times each. */
const finelyMarkedDecades = 3.5;

/** A logarithmic scale with ticks at powers of ten, and at 2 and 5 times each where there is room. */
function logTicks(least: number, most: number): readonly number[] {
  const [first, last] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const factors = Math.log10(most / least) <= finelyMarkedDecades ? [1, 2, 5] : [1];
  const all = Array.from({ length: last - first + 1 }, (_unused, index) => 10 ** (first + index));
  return all
    .flatMap((power) => factors.map((factor) => factor * power))
    .filter((tick) => tick >= least * (1 - 1e-9) && tick <= most * (1 + 1e-9));
}

/** @returns `value` rounded down or up to 1, 2 or 5 times a power of ten */
export function niceEnd(value: number, side: 'below' | 'above'): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const ends = [1, 2, 5, 10].map((factor) => factor * power);
  const found =
    side === 'above'
      ? ends.find((end) => end >= value * (1 - 1e-9))
      : ends.findLast((end) => end <= value * (1 + 1e-9));
  return Number((found ?? value).toPrecision(12));
}

/** @param least the smallest value, over 0 */
export function logScale(least: number, most: number, from: number, to: number): Scale {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  const span = high - low || 1;
  return {
    ticks: logTicks(least, most),
    place: (value) => from + ((to - from) * (Math.log10(value) - low)) / span,
  };
}
