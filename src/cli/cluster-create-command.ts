import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster create
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster create --data-dir /var/lib/burgee
`;

export function defineClusterCreate(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('create');
  command.description(
    'Make a cluster of what the data directory holds, or of a new store where it holds none. The server must be ' +
      'stopped; the directory is a node of the cluster from then on. Prints what was uploaded as JSON.',
  );
  addSettingOptions(command, [
    'dataDir',
    'mapBytes',
    'clusterUrl',
    'clusterPasswordFile',
    'clusterSchema',
  ]).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const config = configFrom(options);
    if (config.clusterUrl === null) throw new CommandFailure(noUrl);
    const { makeCluster } = await import('./create-cluster.ts');
    const created = await makeCluster({ ...config, clusterUrl: config.clusterUrl });
    printNote(`Made a cluster of ${config.dataDir}: ${created.records} records.`);
    await printJson({ dataDir: config.dataDir, schema: config.clusterSchema, ...created });
    return exitCodes.done;
  };
  return { command, action: { isAlwaysJson: true, run } };
}

const noUrl = 'No cluster is named. Set BURGEE_CLUSTER_URL=postgres://USER@HOST/DATABASE.';
