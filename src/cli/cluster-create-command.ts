import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { ProgressLine } from './progress-line.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster create
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster create --data-dir /var/lib/burgee/data
`;

export function defineClusterCreate(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('create');
  command.description(
    'Make a cluster of what the data directory holds, or of a new store where it holds none. The server must be ' +
      'stopped; the directory is a node of the cluster from then on. Prints what was uploaded as JSON.',
  );
  command.option(
    '--replace',
    'begin a new history in place of that of the same store: after a restore, or to come back after leave; all nodes must be stopped',
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
    const { makeCluster } = await import('./create-cluster.ts');
    const created = await makeCluster(config, options['replace'] === true, new ProgressLine(process.stderr));
    printNote(`Made a cluster of ${config.dataDir}: ${created.records} records.`);
    await printJson({ dataDir: config.dataDir, schema: config.clusterSchema, ...created });
    return exitCodes.done;
  };
  return { command, action: { run } };
}
