import { Argument, type Command } from 'commander';
import type { Config } from '../config/config.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote, printResult } from './command-output.ts';
import { type DemoName, demoNames } from './demo/demo.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee demo --data-dir ./data
  burgee demo kubernetes --data-dir ./gates
  burgee demo && burgee serve
`;

function signInText(url: string): string {
  return `
Open the console of the demo with this link; it works once, within 24 hours. New tokens are made there, under Tokens:

  ${url}

`;
}

export function defineDemo(parent: Command): { readonly command: Command; readonly action: Action } {
  const argument = new Argument('[name]', 'which demo to make').choices(demoNames).default(demoNames[0]);
  const command = parent.command('demo').addArgument(argument);
  command.description(
    'Fill an empty data directory with a demo, and print how to try it. The tokens are printed once.',
  );
  // All settings, because `burgee start` has the same options.
  addSettingOptions(command).addHelpText('before', examples);
  const run: Action['run'] = async (options, [name]) =>
    makeDemo(configFrom(options), name as DemoName | undefined, options['json'] === true);
  return { command, action: { run } };
}

/** Makes a demo in an empty data directory and says how to try it; for an existing demo, prints a sign-in link. */
export async function makeDemo(
  config: Config,
  name: DemoName = demoNames[0],
  isJson = false,
): Promise<number> {
  const { provisionDemo } = await import('./demo/provision-demo.ts');
  const { isMade, signInUrl } = await provisionDemo(config, name, (text) =>
    isJson ? printJson({ made: true, welcome: text }) : printResult(text),
  );
  if (isMade) return exitCodes.done;
  if (isJson) await printJson({ made: false, signInUrl });
  else if (signInUrl !== null) await printResult(signInText(signInUrl));
  else printNote(`${config.dataDir} is not empty, so no demo was made.`);
  return exitCodes.done;
}
