import type { Command } from 'commander';
import type { ClusterCheck } from '../cluster/upkeep/check-cluster.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, loadSettings } from './setting-options.ts';
import type { CheckReport } from './walk-store.ts';

const examples = `Examples:
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster check
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster check --data-dir /var/lib/burgee/data
`;

export function defineClusterCheck(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('check');
  command.description(
    "Verify the cluster's log and what it says of each record; and, with a data directory, its every record, and that it " +
      'holds what the cluster holds. Works while nodes run. Exits 0 when nothing is damaged, 3 with findings, 1 when it could not be checked.',
  );
  addSettingOptions(command, [
    ...(['dataDir', 'clusterUrl', 'clusterPasswordFile', 'clusterSchema'] as const),
  ]).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { config, sources } = loadSettings(options);
    const { checkWithReplica } = await import('./check-cluster.ts');
    const directory = sources.get('dataDir') === 'default' ? null : config.dataDir;
    const { cluster, store } = await checkWithReplica(config, directory);
    const findings = [...cluster.findings, ...(store?.findings ?? [])];
    const findingCount = cluster.findingCount + (store?.findingCount ?? 0);
    if (options['json'] === true) {
      const { head, rows, records, replica } = cluster;
      const { position, keptFrom } = head;
      const isClean = findingCount === 0;
      await printJson({ isClean, position, keptFrom, rows, records, replica, findingCount, findings });
    } else await printResult(describe(directory, cluster, store, findings, findingCount));
    return findingCount === 0 ? exitCodes.done : exitCodes.damaged;
  };
  return { command, action: { run } };
}

function describe(
  directory: string | null,
  { head, rows, records, replica }: ClusterCheck,
  store: CheckReport | null,
  findings: readonly string[],
  findingCount: number,
): string {
  const walked = [
    `The cluster is at ${head.position}: ${rows} rows of the log from ${head.keptFrom} on, ${records} records.\n`,
    ...(replica === null
      ? []
      : [`${directory} is at ${replica.position}: ${replica.entries} records compared.\n`]),
    ...(replica === null && store !== null ? [`${directory} was not compared.\n`] : []),
  ];
  if (findingCount === 0) return `${walked.join('')}Nothing is damaged.\n`;
  const more = findingCount > findings.length ? [`and ${findingCount - findings.length} more`] : [];
  const lines = [...findings, ...more].map((finding) => `  - ${finding}\n`);
  return `${walked.join('')}${findingCount} ${findingCount === 1 ? 'finding' : 'findings'}:\n${lines.join('')}${advice}`;
}

const advice =
  'A damaged replica: stop its node, empty its directory and start it again. A damaged log or record: stop all nodes, and make ' +
  'the cluster again from an undamaged directory with `burgee cluster create --replace`, or restore PostgreSQL.\n';
