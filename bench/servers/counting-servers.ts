import { type BenchDirectory, copyDirectory, makeDirectory } from './bench-directory.ts';
import { bundleCountingProgram, type CountingModule } from './counting-program.ts';
import { halfFlagProject } from './flag-fixtures.ts';
import { oneFlagRequests } from './one-flag-requests.ts';
import type { OneFlagServer } from './one-flag-servers.ts';
import { checkSameAnswers } from './same-answers.ts';
import type { ServerProcess } from './server-process.ts';
import { type BurgeeOptions, serveDirectory } from './start-burgee.ts';
import type { KeepServer } from './with-servers.ts';

/** With the admin listener, as a scraped service has it. */
const args = ['--admin-port', '0'];

interface CountingVariant extends Pick<OneFlagServer, 'name' | 'what'> {
  readonly without: readonly CountingModule[];
}

export const countingVariants: readonly CountingVariant[] = [
  {
    name: 'uncounted',
    what: 'Burgee without its counters: neither metrics nor evaluation counts',
    without: ['withoutMetrics', 'withoutEvaluationCounts'],
  },
  {
    name: 'counting',
    what: 'Burgee as it is: metrics, with the admin listener, and evaluation counts',
    without: [],
  },
  {
    name: 'metrics',
    what: 'Burgee without evaluation counts: what remains over uncounted is what metrics cost',
    without: ['withoutEvaluationCounts'],
  },
  {
    name: 'evaluation-counts',
    what: 'Burgee without metrics: what remains over uncounted is what evaluation counts cost',
    without: ['withoutMetrics'],
  },
];

/** Starts Burgee four times, with and without its counters, on copies of one store. */
export async function startCountingServers(
  keep: KeepServer,
): Promise<{ readonly flagId: string; readonly servers: readonly OneFlagServer[] }> {
  const program = await bundleCountingProgram();
  const directory = await makeDirectory([halfFlagProject('bench')]);
  try {
    const flagId = directory.provisioned.projects['bench']?.flags['half'];
    if (flagId === undefined) throw new Error('the flag was not provisioned');
    const servers: OneFlagServer[] = [];
    for (const { name, what, without } of countingVariants) {
      const options = { args, program: program.main, imports: program.importsOf(without) };
      servers.push({ name, what, server: await keep(serveCopy(directory, options)) });
    }
    const [{ path } = { path: '' }] = oneFlagRequests(flagId, 1);
    await checkSameAnswers(path, Object.fromEntries(servers.map((one) => [one.name, one.server.origin])));
    return { flagId, servers };
  } finally {
    directory.remove();
  }
}

async function serveCopy(of: BenchDirectory, options: BurgeeOptions): Promise<ServerProcess> {
  const directory = copyDirectory(of);
  const server = await serveDirectory(directory, options).catch((fault: unknown) => {
    directory.remove();
    throw fault;
  });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      directory.remove();
    },
  };
}
