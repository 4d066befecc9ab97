/** A mapping from values to places, with the values at which a reader finds a line. */
export interface Scale {
  readonly ticks: readonly number[];
  place(value: number): number;
}

/** Steps that read well: 1, 2, 2.5 or 5 times a power of ten. */
function niceStep(span: number, count: number): number {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= raw) ?? 10;
  return factor * power;
}

/** From 0 to `most` or a little more, with a tick at 1, which ratios are read against. */
export function linearScale(most: number, from: number, to: number): Scale {
  const step = niceStep(most, 5);
  const end = Math.ceil(most / step - 1e-9) * step;
  const count = Math.round(end / step);
  const steps = Array.from({ length: count + 1 }, (_unused, index) => Number((index * step).toPrecision(12)));
  const ticks = end < 1 || steps.includes(1) ? steps : [...steps, 1].sort((a, b) => a - b);
  return { ticks, place: (value) => from + ((to - from) * value) / end };
}

/** Of so many powers of ten, there is room for twice and five times each. */
const finelyMarkedDecades = 3.5;

/** Powers of ten, and 2 and 5 times them where there is room. */
function logTicks(least: number, most: number): readonly number[] {
  const [first, last] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const factors = Math.log10(most / least) <= finelyMarkedDecades ? [1, 2, 5] : [1];
  const all = Array.from({ length: last - first + 1 }, (_unused, index) => 10 ** (first + index));
  return all
    .flatMap((power) => factors.map((factor) => factor * power))
    .filter((tick) => tick >= least * (1 - 1e-9) && tick <= most * (1 + 1e-9));
}

/** @returns the nearest of 1, 2 and 5 times a power of ten that is not inside of `value`: below it, or above it */
export function niceEnd(value: number, side: 'below' | 'above'): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const ends = [1, 2, 5, 10].map((factor) => factor * power);
  const found =
    side === 'above'
      ? ends.find((end) => end >= value * (1 - 1e-9))
      : ends.findLast((end) => end <= value * (1 + 1e-9));
  return Number((found ?? value).toPrecision(12));
}

/** @param least over 0 */
export function logScale(least: number, most: number, from: number, to: number): Scale {
  const [low, high] = [Math.log10(least), Math.log10(most)];
  const span = high - low || 1;
  return {
    ticks: logTicks(least, most),
    place: (value) => from + ((to - from) * (Math.log10(value) - low)) / span,
  };
}
