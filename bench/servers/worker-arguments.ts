/** @returns the arguments of `serve` for so many workers: the one place of the bench that names the setting */
export function workerArguments(workers: number): readonly string[] {
  return ['--workers', String(workers)];
}
