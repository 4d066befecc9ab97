/** @returns the arguments of `serve` for this many workers. Only this file names the setting */
export function workerArguments(workers: number): readonly string[] {
  return ['--workers', String(workers)];
}
