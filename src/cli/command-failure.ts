/** A command that could not be done, for a reason that people can act on; shown without a stack. */
export class CommandFailure extends Error {
  /** One line each, where there is more than the message to say. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = []) {
    super(message);
    this.problems = problems;
  }
}

/** The exit codes of every command. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;
