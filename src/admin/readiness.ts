/** Whether the service answers, as a process manager or load balancer asks. Health says only that it lives. */
export interface Readiness {
  readonly phase: 'starting' | 'serving' | 'draining';
  /** The parts that do not serve. */
  readonly failing: readonly string[];
}

export function isReady({ phase, failing }: Readiness): boolean {
  return phase === 'serving' && failing.length === 0;
}

/** @returns for example `{"status":"unavailable","failing":["workers"]}` */
export function renderReadiness(readiness: Readiness): string {
  if (isReady(readiness)) return JSON.stringify({ status: 'ready' });
  const { phase, failing } = readiness;
  return JSON.stringify({ status: phase === 'serving' ? 'unavailable' : phase, failing });
}
