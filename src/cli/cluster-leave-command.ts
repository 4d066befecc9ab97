import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster leave --data-dir /var/lib/burgee/data
  burgee serve --data-dir /var/lib/burgee/data
`;

export function defineClusterLeave(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('leave');
  command
    .description(
      'Go back to a single node: bring the data directory to the newest state, close the cluster for good, and make the directory ' +
        "a store of its own, to be served without BURGEE_CLUSTER_URL. The directory's server must be stopped, and all other nodes. " +
        'Prints what was done as JSON. Repeat it if it was cut off.',
    )
    .option('--force', 'close the cluster under nodes that run: they stay detached');
  addSettingOptions(command, [
    ...([
      'dataDir',
      'mapBytes',
      'clusterUrl',
      'clusterPasswordFile',
      'clusterSchema',
      'clusterLeaseMs',
    ] as const),
  ]).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const config = configFrom(options);
    const { leaveCluster } = await import('./leave-cluster.ts');
    const left = await leaveCluster(config, options['force'] === true);
    printNote(`Closed the cluster at ${left.position}. Serve ${config.dataDir} without BURGEE_CLUSTER_URL.`);
    await printJson({ dataDir: config.dataDir, schema: config.clusterSchema, ...left });
    return exitCodes.done;
  };
  return { command, action: { run } };
}
