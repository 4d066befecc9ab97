import type { Command } from 'commander';
import type { Service } from '../supervisor/service.ts';
import { endProcessNow } from '../support/end-process.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printNote } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee serve
  burgee serve --data-dir /var/lib/burgee/data --host 0.0.0.0 --port 80
  BURGEE_PORT=9000 burgee serve --config burgee.json
`;

/** The threads of the writer, the notifier, the operator and flagd's sync. */
const otherThreads = 4;
/** Address space that V8 reserves for each thread, rounded up. */
const threadBytes = 2 ** 30;

/** Sent to a parent process that has opened a channel (`npm start`). */
interface ListeningMessage {
  readonly kind: 'listening';
  readonly url: string;
}

export function defineServe(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('serve').description('Serve the Evaluation and Management APIs.');
  addSettingOptions(command).addHelpText('before', examples);
  return { command, action: { run: async (options) => serve(configFrom(options)) } };
}

/** Serves until a signal arrives, or until a fault that only a restart fixes. */
export async function serve(config: ReturnType<typeof configFrom>): Promise<number> {
  // Imported here, so that other commands start without loading the server.
  const { claimDirectory } = await import('../storage/lmdb/claim.ts');
  const { requireAddressSpace } = await import('../storage/lmdb/environment.ts');
  requireAddressSpace(config.mapBytes + (config.workers + otherThreads) * threadBytes);
  const signals = new StopSignals();
  try {
    const claim = claimDirectory(config.dataDir);
    try {
      const { startService, StoppedAtStart } = await import('../supervisor/service.ts');
      try {
        return await serveUntilStopped(await startService(config, undefined, signals.first), signals);
      } catch (fault) {
        if (fault instanceof StoppedAtStart) return exitCodes.done;
        throw fault;
      }
    } finally {
      claim.release();
    }
  } finally {
    signals.release();
  }
}

/** Shown once, on standard error: standard output is the log, which must have no secrets. */
function welcomeOwner(url: string): string {
  return `
This install has no members yet. Open this link within 24 hours to become its first Owner; it works once:

  ${url}

`;
}

async function serveUntilStopped(service: Service, signals: StopSignals): Promise<number> {
  if (service.firstOwnerUrl !== null) printNote(welcomeOwner(service.firstOwnerUrl));
  const message: ListeningMessage = { kind: 'listening', url: service.url };
  if (process.connected) process.send?.(message);
  const reason = await Promise.race([signals.first, service.failed]);
  // The threads cannot be trusted to end. The log has the reason, and the process manager starts the process again.
  if (reason instanceof Error) endProcessNow();
  await service.stop();
  return exitCodes.done;
}

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Without a listener the first opens Node's debugger, and the second ends the process. */
const ignoredSignals = ['SIGUSR1', 'SIGUSR2'] as const;
const ignore = (): void => undefined;

/**
 * Listens for the signals that end a server: the first one begins the drain, a second one ends the process at once. A
 * second SIGHUP does not: it comes from a terminal that closes, or from a script that asks for new log files. The
 * death of a parent process that has opened a channel counts as a first signal: its server must not outlive it unseen.
 */
class StopSignals {
  /** Resolves with the first signal, which may never come. */
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
      if (isStopping && signal === 'SIGHUP') return;
      if (isStopping) endProcessNow();
      isStopping = true;
      resolveFirst(signal);
    };
    this.#onDisconnect = () => resolveFirst('disconnect');
    for (const signal of stopSignals) process.on(signal, this.#onSignal);
    for (const signal of ignoredSignals) process.on(signal, ignore);
    if (process.connected) process.on('disconnect', this.#onDisconnect);
  }

  release(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
    for (const signal of ignoredSignals) process.off(signal, ignore);
    process.off('disconnect', this.#onDisconnect);
    if (process.connected) process.disconnect();
  }
}
