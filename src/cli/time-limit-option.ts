import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandOptions } from './command-action.ts';

const fallbackSeconds = '3600';
const secondsMax = 7 * 24 * 3600;

/** How long one snapshot may be kept: meanwhile the data file grows with every change. */
export function addTimeLimitOption(command: Command): Command {
  const text = 'give up after this time; the data file grows while the command runs';
  return command.addOption(
    new Option('--time-limit <seconds>', text).default(fallbackSeconds).argParser((given) => {
      if (/^[1-9]\d{0,6}$/.test(given) && Number(given) <= secondsMax) return given;
      throw new InvalidArgumentError(`Give a whole number of seconds from 1 to ${secondsMax}.`);
    }),
  );
}

/** @returns milliseconds. */
export function timeLimitFrom(options: CommandOptions): number {
  return Number(options['timeLimit'] ?? fallbackSeconds) * 1000;
}
