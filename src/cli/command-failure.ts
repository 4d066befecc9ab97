/** A command failed for a reason that the operator can act on; its message is shown without a stack. */
export class CommandFailure extends Error {
  /** Details, one line each. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = []) {
    super(message);
    this.problems = problems;
  }
}

/** The command found damage in a store, a backup or a cluster. */
export class DamageFound extends CommandFailure {}

/** The exit codes of every command. A command that could not look for damage has failed, and found none. */
export const exitCodes = { done: 0, failed: 1, usage: 2, damaged: 3 } as const;
