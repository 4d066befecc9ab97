import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { describeRefusedListen } from '../http/listen-error.ts';
import type { Action } from './command-action.ts';
import { CommandFailure } from './command-failure.ts';
import { makeDemo } from './demo-command.ts';
import { serve } from './serve-command.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee start
  burgee start --data-dir ./data --port 9000
`;

/** The command that runs when none is named. */
export const startName = 'start';

/** The demo's text names this address: another server must not answer there. */
async function refuseUsedPort({ host, port }: Config): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch {
    throw new CommandFailure(describeRefusedListen(host, port));
  }
  await once(probe.close(), 'close');
}

export function defineStart(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command(startName);
  command.description(
    'Serve, and first fill an empty data directory with a demo. Runs when no command is named.',
  );
  addSettingOptions(command).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const config = configFrom(options);
    // A node of a cluster takes over the cluster's store.
    if (config.clusterUrl === null) {
      await refuseUsedPort(config);
      await makeDemo(config);
    }
    return serve(config);
  };
  return { command, action: { run } };
}
