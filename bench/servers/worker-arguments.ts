/** @returns the arguments of `serve` for this many workers: the only place of the bench that names the setting */
export function workerArguments(workers: number): readonly string[] {
  return ['--workers', String(workers)];
}
