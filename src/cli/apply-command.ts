import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { type ApplyPhase, type ApplyProgress, fileBytesMax } from '../operator/operator-protocol.ts';
import type { Action, CommandOptions } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printNote, printResult } from './command-output.ts';
import { describeShare, ProgressLine, type ProgressOutput } from './progress-line.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee apply flags.json --data-dir ./data
  burgee apply flags.json > ids-and-secrets.json
  burgee apply flags.json | jq -r '.projects.shop.tokens.ci.secret'
`;

export function defineApply(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent
    .command('apply')
    .argument('<file>', 'JSON file that declares organisations, members, projects, tokens and flags');
  command.description(
    'Create and change what a file declares, all of it or nothing, and print ids and new secrets as JSON. ' +
      'Applied again, it changes only what differs. It never deletes. ' +
      'It goes through the running server when there is one.',
  );
  addSettingOptions(command, ['dataDir', 'tokenPrefix', 'mapBytes']).addHelpText('before', examples);
  return { command, action: { isAlwaysJson: true, run: apply } };
}

async function apply(options: CommandOptions, [path = '']: readonly string[]): Promise<number> {
  const config = configFrom(options);
  const { withOperator } = await import('./operator-session.ts');
  const file = readBounded(path);
  const progress = new ApplyProgressLines(process.stderr);
  const outcome = await withOperator(config, { mayCreate: true }, (operator) =>
    operator('apply', file, progress.report),
  ).finally(() => progress.end());
  if (!outcome.ok) {
    const { problems, problemCount } = outcome;
    const more = problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : [];
    throw new CommandFailure(`Nothing was applied: ${path} is refused.`, [...problems, ...more]);
  }
  for (const warning of outcome.warnings) printNote(`burgee: warning: ${warning}`);
  const { created, changed, unchanged } = outcome.counts;
  printNote(`Applied ${path}: ${created} created, ${changed} changed, ${unchanged} as they were.`);
  await printResult(outcome.document);
  return exitCodes.done;
}

function readBounded(path: string): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size <= fileBytesMax) return readFileSync(path);
  } catch (fault) {
    throw new CommandFailure(`${path} cannot be read: ${fault instanceof Error ? fault.message : fault}`);
  }
  throw new CommandFailure(
    `${path} is larger than 512 MiB. Split it into several files and apply them in turn.`,
  );
}

const words: Readonly<Record<ApplyPhase, readonly [verb: string, unit: string]>> = {
  receive: ['sent', 'MiB'],
  check: ['checked', 'flags'],
  write: ['written', 'flags'],
};
/** A smaller file is applied before anybody could read a progress line. */
const flagsWorthTelling = 1000;

/** Shows the progress of an `apply`. */
class ApplyProgressLines {
  readonly #line: ProgressLine;

  constructor(output: ProgressOutput) {
    this.#line = new ProgressLine(output);
  }

  readonly report: ApplyProgress = (phase, done, total) => {
    const isOver = done >= total && phase !== 'receive' && total >= flagsWorthTelling;
    this.#line.report(() => describe(phase, done, total), isOver);
  };

  /** Ends the line. Call it before anything else is written to the same output. */
  end(): void {
    this.#line.end();
  }
}

function describe(phase: ApplyPhase, done: number, total: number): string {
  const [verb, unit] = words[phase];
  const scale = phase === 'receive' ? 2 ** 20 : 1;
  return describeShare(verb, done / scale, total / scale, unit);
}
