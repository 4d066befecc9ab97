import type { Command } from 'commander';
import { formatByteSize } from '../config/byte-size.ts';
import type { StoreStatistics } from '../storage/store-statistics.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee stat --data-dir ./data
  burgee stat --data-dir ./data --json | jq .freePages
`;

export function defineStat(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('stat');
  command.description(
    'Print how large the store is: records, bytes, free pages, readers. Works while a server runs.',
  );
  addSettingOptions(command, ['dataDir', 'mapBytes']).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { dataDir, mapBytes } = configFrom(options);
    const { readStatistics } = await import('../storage/store-statistics.ts');
    const statistics = readStatistics(dataDir);
    const mapUsed = statistics.fileBytes / mapBytes;
    if (options['json'] === true) await printJson({ dataDir, mapBytes, mapUsed, ...statistics });
    else await printResult(describe(dataDir, statistics, mapBytes));
    return exitCodes.done;
  };
  return { command, action: { run } };
}

function describe(dataDir: string, it: StoreStatistics, mapBytes: number): string {
  const { readers, fileBytes, freePages, pageBytes, lastChangeAt } = it;
  const mapPercent = ((100 * fileBytes) / mapBytes).toFixed(2);
  const oldest = readers.oldestPid === null ? '' : `, the oldest ${readers.oldestLagCommits} commits behind`;
  const pid = readers.oldestPid === null ? '' : ` (process ${readers.oldestPid})`;
  const facts = [
    ['store', `${it.storeId}, format ${it.format}, in ${dataDir}`],
    ['data file', `${inMebibytes(fileBytes)} MiB, ${mapPercent} % of the map of ${formatByteSize(mapBytes)}`],
    ['pages', `${it.usedPages} used, ${freePages} free (${inMebibytes(freePages * pageBytes)} MiB)`],
    ['readers', `${readers.open} with a snapshot${oldest}${pid}`],
    ['last change', lastChangeAt === null ? 'none' : new Date(lastChangeAt).toISOString()],
  ].map(([name = '', text = '']) => `${name.padEnd(12)} ${text}\n`);
  const rows = it.databases.map(({ name, entries, bytes }) => row(name, String(entries), inMebibytes(bytes)));
  return [...facts, '\n', row('database', 'entries', 'MiB'), ...rows].join('');
}

function row(name: string, entries: string, mebibytes: string): string {
  return `${name.padEnd(22)} ${entries.padStart(12)} ${mebibytes.padStart(12)}\n`;
}

function inMebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(2);
}
