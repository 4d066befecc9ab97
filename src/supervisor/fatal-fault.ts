import type { MainLog } from '../observability/logger.ts';

interface FatalFault {
  /** Logs the fault, and lets answers in flight be sent. */
  readonly onFatal: (fault: Error) => void;
  /** Resolves with the fault when the process may end; otherwise never. */
  readonly failed: Promise<Error>;
}

/**
 * Waits for a fault after which only a restart of the process helps.
 * @param letAnswersOut resolves when answers in flight are sent, or after their timeout
 */
export function awaitFatalFault(mainLog: MainLog, letAnswersOut: () => Promise<void>): FatalFault {
  let reportFailure: (fault: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    reportFailure = resolve;
  });
  let reported: Error | null = null;
  const onFatal = (fault: Error): void => {
    // A failed assertion is reported twice.
    if (fault === reported) return;
    reported = fault;
    mainLog.log.fatal({ err: fault }, 'the service cannot go on and ends; its manager should start it again');
    letAnswersOut()
      .then(() => mainLog.flush())
      .then(() => reportFailure(fault), reportFailure);
  };
  return { onFatal, failed };
}
