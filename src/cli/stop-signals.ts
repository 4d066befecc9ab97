import { endProcessNow } from '../support/end-process.ts';

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Listens for the signals that end a server: the first lets it drain, a second ends the process at once. A parent process
 * that has opened a channel and dies counts as a first one: its server must not outlive it unseen.
 */
export class StopSignals {
  /** Resolves with the first signal; never before. */
  readonly first: Promise<NodeJS.Signals | 'disconnect'>;
  readonly #onSignal: (signal: NodeJS.Signals) => void;
  readonly #onDisconnect: () => void;

  constructor() {
    let resolveFirst: (reason: NodeJS.Signals | 'disconnect') => void = () => undefined;
    let isStopping = false;
    this.first = new Promise((resolve) => {
      resolveFirst = resolve;
    });
    this.#onSignal = (signal) => {
      if (isStopping) endProcessNow();
      isStopping = true;
      resolveFirst(signal);
    };
    this.#onDisconnect = () => resolveFirst('disconnect');
    for (const signal of stopSignals) process.on(signal, this.#onSignal);
    if (process.connected) process.on('disconnect', this.#onDisconnect);
  }

  release(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
    process.off('disconnect', this.#onDisconnect);
    if (process.connected) process.disconnect();
  }
}
