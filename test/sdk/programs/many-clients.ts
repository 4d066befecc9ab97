/**
 * A process with many clients, in the timings of a program. Arguments: url, how many, how they are started (`here`,
 * `alone`, in `cluster` workers, or in worker `threads`), their options as JSON, if they are other ones, and the module
 * that has `connect`, if it is not this checkout's. Prints a line of JSON with the version and the status of a client when
 * it has started and after each change of them, and ends when its input ends.
 */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const ownModule = new URL('../../../src/sdk/connect.js', import.meta.url).href;
const [url = '', count = '', how = 'here', options = '{}', module = ownModule] = process.argv.slice(2);
const program = fileURLToPath(import.meta.url);

if (how === 'cluster' && cluster.isPrimary) {
  for (let index = 0; index < Number(count); index += 1) cluster.fork();
  cluster.on('message', (_worker, line: string) => process.stdout.write(line));
} else if (how === 'threads') {
  for (let index = 0; index < Number(count); index += 1) new Worker(program, { argv: [url, '1'] });
  // A client before the threads, in the process that has them.
  await run(1);
} else await run(how === 'cluster' ? 1 : Number(count));

// The sockets and timers of a client keep nobody running; these do, unless the program is `alone`.
if (!isMainThread) parentPort?.on('message', () => undefined);
else if (cluster.isPrimary && how !== 'alone') process.stdin.resume().on('end', () => process.exit(0));

async function run(clients: number): Promise<void> {
  const { connect } = (await import(module)) as typeof import('../../../src/sdk/connect.ts');
  const settings = {
    url,
    project: 'Qm4ZtR9bNdk3VvX0aPq1',
    environment: 'production',
    token: 'secret-token',
    ...(JSON.parse(options) as object),
  };
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = await connect(settings);
      const tell = (): void => {
        const line = `${JSON.stringify({ version: client.version, status: client.status })}\n`;
        if (cluster.isWorker) process.send?.(line);
        else process.stdout.write(line);
      };
      client.on('change', tell);
      client.on('status', tell);
      tell();
    }),
  );
}
