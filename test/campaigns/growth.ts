/** A measured value at a point in time. */
export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

/** @returns the growth of the values per hour, by least squares over all samples; 0 for fewer than two */
export function growthPerHour(samples: readonly Sample[]): number {
  const count = samples.length;
  if (count < 2) return 0;
  const meanAt = samples.reduce((sum, { atMs }) => sum + atMs, 0) / count;
  const mean = samples.reduce((sum, { value }) => sum + value, 0) / count;
  let [covariance, variance] = [0, 0];
  for (const { atMs, value } of samples) {
    covariance += (atMs - meanAt) * (value - mean);
    variance += (atMs - meanAt) ** 2;
  }
  return variance === 0 ? 0 : (covariance / variance) * 3_600_000;
}
