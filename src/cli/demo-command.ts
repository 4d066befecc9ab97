import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee demo --data-dir ./data
  burgee demo && burgee serve
`;

function signInText(url: string): string {
  return `
Open the console of the demo with this link; it works once, within 24 hours. New tokens are made there, under Tokens:

  ${url}

`;
}

export function defineDemo(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('demo');
  command.description(
    'Fill an empty data directory with a demo, and print how to try it. The tokens are printed once.',
  );
  // All settings, because `burgee start` has the same options.
  addSettingOptions(command).addHelpText('before', examples);
  const run: Action['run'] = async (options) => makeDemo(configFrom(options), options['json'] === true);
  return { command, action: { run } };
}

/** Makes a demo in an empty data directory and says how to try it; for an existing demo, prints a sign-in link. */
export async function makeDemo(config: Config, isJson: boolean): Promise<number> {
  const { provisionDemo } = await import('./demo/provision-demo.ts');
  const { isMade, signInUrl } = await provisionDemo(config, (text) =>
    isJson ? printJson({ made: true, welcome: text }) : printResult(text),
  );
  if (isMade) return exitCodes.done;
  if (isJson) await printJson({ made: false, signInUrl });
  else if (signInUrl !== null) await printResult(signInText(signInUrl));
  else printNote(`${config.dataDir} is not empty, so no demo was made.`);
  return exitCodes.done;
}
