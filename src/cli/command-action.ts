import type { Command } from 'commander';
import { DamagedStoreError, StoreError } from '../storage/store-error.ts';
import { CommandFailure, DamageFound, exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';

/** Options as commander gives them: an option that was not given is absent. */
export type CommandOptions = Readonly<Record<string, string | boolean | undefined>>;

export interface Action {
  run(options: CommandOptions, arguments_: readonly string[]): Promise<number>;
}

/** The option that every command has. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print the result, or the failure, as one JSON document');
}

/**
 * Sets what a command does. A failure sets the exit code and is written once: to standard error, or with `--json` as
 * JSON to standard output. An empty argument comes from a shell variable that is not set; as a directory it would mean the working
 * directory.
 */
export function setAction(command: Command, action: Action, setExitCode: (code: number) => void): void {
  addJsonOption(command).action(async () => {
    const options = command.opts<Record<string, string | boolean>>();
    if (command.args.includes('') || options['output'] === '') {
      command.error('error: an argument is empty; perhaps a shell variable is not set', {
        exitCode: exitCodes.usage,
      });
    }
    try {
      setExitCode(await action.run(options, command.args));
    } catch (fault) {
      await printFailure(fault, options['json'] === true);
      const isDamage = fault instanceof DamageFound || fault instanceof DamagedStoreError;
      setExitCode(isDamage ? exitCodes.damaged : exitCodes.failed);
    }
  });
}

async function printFailure(fault: unknown, isJson: boolean): Promise<void> {
  const { message, problems } = describe(fault);
  if (isJson) await printJson({ error: message, problems });
  else printNote([`burgee: ${message}`, ...problems.map((problem) => `  - ${problem}`)].join('\n'));
}

function describe(fault: unknown): { readonly message: string; readonly problems: readonly string[] } {
  if (fault instanceof CommandFailure) return { message: fault.message, problems: fault.problems };
  if (fault instanceof StoreError) return { message: fault.message, problems: [] };
  if (!(fault instanceof Error)) return { message: String(fault), problems: [] };
  // Expected failures of other parts say what to do. These three are faults of Burgee itself, and their stack is
  // needed.
  const isMistake =
    fault instanceof TypeError || fault instanceof ReferenceError || fault instanceof RangeError;
  return { message: isMistake ? String(fault.stack) : fault.message, problems: [] };
}
