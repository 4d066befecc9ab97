/** Seconds: from a quarter of a millisecond, about what an evaluation takes, to the longest deadlines. */
export const durationBounds = [
  0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;
