/** A server in its own process, on a port of 127.0.0.1 that the system chose. */
export interface ServerProcess {
  readonly pid: number;
  readonly origin: string;
  /** From the start of the process to its line that it listens. */
  readonly startedInMs: number;
  /** Stops it with SIGTERM and waits for its end. */
  stop(): Promise<void>;
}
