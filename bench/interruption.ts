/** Two signals within this time count as one: Ctrl-C reaches this process twice, from the terminal and from npm. */
const sameSignalMs = 500;
/** How long scenarios have to stop their servers before the process ends. */
const cleanUpMaxMs = 30_000;

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** The error that ends a run on a signal. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(name: keyof typeof exitCodes) {
    super(`stopped by ${name}`);
    this.exitCode = exitCodes[name];
  }
}

/**
 * Listens to Ctrl-C and SIGTERM. The first ends the measurement, so that the scenario stops its servers in order. A
 * second signal, or half a minute, ends the process and all that it started.
 *
 * @returns aborted by the first signal; its reason is an `Interrupted`
 */
export function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  let firstAtMs = 0;
  const interrupt = (name: keyof typeof exitCodes): void => {
    const now = performance.now();
    if (!controller.signal.aborted) {
      firstAtMs = now;
      controller.abort(new Interrupted(name));
      setTimeout(() => process.exit(exitCodes[name]), cleanUpMaxMs).unref();
    } else if (now - firstAtMs > sameSignalMs) process.exit(exitCodes[name]);
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupt(name));
  return controller.signal;
}
