import type { Command } from 'commander';
import { StoreError } from '../storage/store-error.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';

/** Options as commander gives them: what was not given is absent. */
export type CommandOptions = Readonly<Record<string, string | boolean | undefined>>;

export interface Action {
  /** Its result is JSON whether or not that was asked for. */
  readonly isAlwaysJson?: boolean;
  run(options: CommandOptions, arguments_: readonly string[]): Promise<number>;
}

/** The option that every command has. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print the result, or the failure, as one JSON document');
}

/**
 * Gives a command what it does. A failure is told on standard error, with `--json` on standard output too, and sets the
 * exit code. An empty argument is a variable that was not set: as a directory it would be the one that the caller is in.
 */
export function setAction(command: Command, action: Action, setExitCode: (code: number) => void): void {
  addJsonOption(command).action(async () => {
    const options = command.opts<Record<string, string | boolean>>();
    const isJson = action.isAlwaysJson === true || options['json'] === true;
    if (command.args.includes('') || options['output'] === '') {
      command.error('error: an argument is empty: a variable may not be set', { exitCode: exitCodes.usage });
    }
    try {
      setExitCode(await action.run(options, command.args));
    } catch (fault) {
      await tellFailure(fault, isJson);
      setExitCode(exitCodes.failed);
    }
  });
}

async function tellFailure(fault: unknown, isJson: boolean): Promise<void> {
  const { message, problems } = describe(fault);
  printNote([`burgee: ${message}`, ...problems.map((problem) => `  - ${problem}`)].join('\n'));
  if (isJson) await printJson({ error: message, problems });
}

function describe(fault: unknown): { readonly message: string; readonly problems: readonly string[] } {
  if (fault instanceof CommandFailure) return { message: fault.message, problems: fault.problems };
  if (fault instanceof StoreError) return { message: fault.message, problems: [] };
  if (!(fault instanceof Error)) return { message: String(fault), problems: [] };
  // Expected failures of other parts say what to do; any other fault is a mistake of ours, and needs its stack.
  const isMistake =
    fault instanceof TypeError || fault instanceof ReferenceError || fault instanceof RangeError;
  return { message: isMistake ? String(fault.stack) : fault.message, problems: [] };
}
