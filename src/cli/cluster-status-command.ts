import type { Command } from 'commander';
import type { JudgedNode, JudgedStatus } from '../cluster/upkeep/judge-status.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  BURGEE_CLUSTER_URL=postgres://burgee@db1,db2/burgee burgee cluster status
  burgee cluster status --json | jq .problems
`;

export function defineClusterStatus(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('status');
  command.description(
    'Print how the cluster is: its nodes, how far each is, its history, who holds which duty. Needs no data directory. ' +
      'Exits 0 when all is sound, 1 otherwise.',
  );
  addSettingOptions(command, [
    ...(['clusterUrl', 'clusterPasswordFile', 'clusterSchema', 'clusterLeaseMs'] as const),
  ]).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const config = configFrom(options);
    const { withCluster } = await import('./cluster-session.ts');
    const { judgeStatus } = await import('../cluster/upkeep/judge-status.ts');
    const status = await withCluster(config, 'status', judgeStatus);
    const isSound = status.problems.length === 0;
    if (options['json'] === true) await printJson(toJson(config.clusterSchema, isSound, status));
    else await printResult(describe(config.clusterSchema, status));
    return isSound ? exitCodes.done : exitCodes.failed;
  };
  return { command, action: { run } };
}

function toJson(schema: string, isSound: boolean, { head, ...status }: JudgedStatus): object {
  const { checksum, store, schema: schemaVersion, ...rest } = head;
  return { isSound, store, schema, schemaVersion, ...rest, checksum: checksum.toString('hex'), ...status };
}

function describe(schema: string, status: JudgedStatus): string {
  const { head, movedAt, logRows, logBytes, bytes, nodes, duties, standbys, problems, notes } = status;
  const moved = movedAt === null ? '' : `, since ${new Date(movedAt).toISOString()}`;
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const facts = [
    ['store', head.store],
    ['schema', `${schema}, version ${head.schema}, rows of format ${head.format}`],
    ['head', `${head.position}${moved}`],
    [
      'log',
      `from ${head.keptFrom} on: ${logRows} rows, ${inMebibytes(logBytes)} of ${inMebibytes(bytes)} MiB`,
    ],
    [
      'standbys',
      standbys
        .map(({ name, isSynchronous }) => (isSynchronous ? `${name} (synchronous)` : name))
        .join(', ') || 'none seen',
    ],
    [
      'duties',
      duties.map(({ duty, node }) => `${duty}: ${node} ${labels.get(node) ?? ''}`.trim()).join(', ') ||
        'no node holds one',
    ],
    ...(head.closedAt === null ? [] : [['closed', new Date(head.closedAt).toISOString()]]),
  ].map(([name = '', text = '']) => `${name.padEnd(10)} ${text}\n`);
  const table = [row(['node', 'label', 'position', 'behind', 'lease age', '']), ...nodes.map(describeNode)];
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`\n${title}\n`, ...items.map((item) => `  - ${item}\n`)];
  return [
    ...facts,
    '\n',
    ...table,
    ...list('Notes:', notes),
    ...list('Problems:', problems),
    problems.length === 0 ? '\nThe cluster is sound.\n' : '',
  ].join('');
}

function describeNode({ id, label, applied, lag, renewedMsAgo, isReady }: JudgedNode): string {
  const age = `${(renewedMsAgo / 1000).toFixed(1)} s`;
  return row([id, label, String(applied), String(lag), age, isReady ? 'ready' : 'not ready']);
}

function row([id = '', label = '', ...rest]: readonly string[]): string {
  const [position = '', behind = '', age = '', state = ''] = rest;
  const columns = [
    id.padEnd(22),
    label.padEnd(20),
    position.padStart(10),
    behind.padStart(8),
    age.padStart(10),
  ];
  return `${[...columns, ` ${state}`].join(' ').trimEnd()}\n`;
}

function inMebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(2);
}
