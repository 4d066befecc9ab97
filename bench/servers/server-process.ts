/** A server in a process of its own, on a port of 127.0.0.1 that the system chose. */
export interface ServerProcess {
  readonly pid: number;
  readonly origin: string;
  /** From the start of the process to the line that says it listens. */
  readonly startedInMs: number;
  /** Ends it in order and waits for its end. */
  stop(): Promise<void>;
}
