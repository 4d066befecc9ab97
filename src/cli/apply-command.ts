import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { fileBytesMax } from '../operator/apply-file.ts';
import type { Action, CommandOptions } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { hashGivenSecrets } from './given-secrets.ts';
import { addSettingOptions, loadSettings } from './setting-options.ts';

const examples = `Examples:
  burgee apply flags.json --data-dir ./data
  burgee apply flags.json > ids-and-secrets.json
  burgee apply flags.json | jq -r '.projects.shop.tokens.ci.secret'
  jsonnet flags.jsonnet | burgee apply - --data-dir ./data
`;

export function defineApply(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent
    .command('apply')
    .argument(
      '<file>',
      'JSON file that declares organisations, members, projects, tokens and flags; - is standard input',
    );
  command.description(
    'Create and change what a file declares, all of it or nothing, and print ids and new secrets as JSON. ' +
      'Applied again, it changes only what differs. It never deletes. ' +
      'It goes through the running server when there is one. It makes a new store only in a directory that was named.',
  );
  addSettingOptions(command, ['dataDir', 'tokenPrefix', 'mapBytes']).addHelpText('before', examples);
  return { command, action: { run: apply } };
}

/** A smaller file is applied within seconds. */
const worthANoteBytes = 4 * 2 ** 20;

async function apply(options: CommandOptions, [argument = '']: readonly string[]): Promise<number> {
  const { config, sources } = loadSettings(options);
  const { withOperator } = await import('./operator-session.ts');
  const isInput = argument === '-';
  const path = isInput ? 'standard input' : argument;
  const file = isInput ? await readInput() : readBounded(path);
  if (file.length > worthANoteBytes) printNote(`Applying ${path}: this may take a minute or two.`);
  const given = hashGivenSecrets(file, path, config);
  // In another working directory, the default directory would be a store that no server serves.
  const mayCreate = sources.get('dataDir') !== 'default';
  let where = '';
  const outcome = await withOperator(config, { mayCreate }, (operator, place) => {
    where = place;
    return operator('apply', given);
  });
  if (!outcome.ok) {
    const { problems, problemCount } = outcome;
    const more = problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : [];
    throw new CommandFailure(`Nothing was applied: ${path} is refused.`, [...problems, ...more]);
  }
  for (const warning of outcome.warnings) printNote(`burgee: warning: ${warning}`);
  const { created, changed, unchanged } = outcome.counts;
  printNote(
    `Applied ${path} to ${where}: ${created} created, ${changed} changed, ${unchanged} as they were.`,
  );
  await printJson({ projects: outcome.projects });
  return exitCodes.done;
}

function readBounded(path: string): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size <= fileBytesMax) return readFileSync(path);
  } catch (fault) {
    throw new CommandFailure(`${path} cannot be read: ${fault instanceof Error ? fault.message : fault}`);
  }
  throw tooLarge(path);
}

async function readInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > fileBytesMax) throw tooLarge('Standard input');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(path: string): CommandFailure {
  return new CommandFailure(
    `${path} is larger than 64 MiB. Split it, one file per project, and apply the files one after another.`,
  );
}
