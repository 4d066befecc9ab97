/**
 * A program that has a client, and then makes processes and threads of itself, which have one each: `cluster` workers,
 * a process of `child_process.fork`, and worker threads. Arguments: the module of the installed client, and a file with
 * the client's options and with questions. Each prints its answers after each change, and ends when its input ends.
 */
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, threadId, Worker } from 'node:worker_threads';
import type { ClientOptions, FlagContext } from '../../../src/sdk/burgee-client.ts';

/** What the program is given to ask. */
export interface AskingTask {
  readonly options: ClientOptions;
  readonly questions: readonly (readonly [flag: string, context: FlagContext])[];
}

/** One line of the program. */
export interface AnswerLine {
  readonly by: string;
  readonly status: string;
  readonly answers: string;
}

const [client = '', file = ''] = process.argv.slice(2);
const program = fileURLToPath(import.meta.url);
const forked = 'FORKED_BY_TEST';
const isFirst = isMainThread && cluster.isPrimary && process.env[forked] === undefined;

const { connect } = (await import(client)) as typeof import('../../../src/sdk/connect.ts');
const { options, questions } = JSON.parse(readFileSync(file, 'utf8')) as AskingTask;
const flags = await connect(options);

function nameOfThis(): string {
  if (!isMainThread) return `thread ${threadId}`;
  if (cluster.isWorker) return `cluster worker ${cluster.worker?.id}`;
  return isFirst ? 'first process' : 'forked process';
}

function tell(): void {
  const answers = questions.map(([flag, context]) => Number(flags.isOn(flag, context, false))).join('');
  const line: AnswerLine = { by: nameOfThis(), status: flags.status, answers };
  if (isFirst) process.stdout.write(`${JSON.stringify(line)}\n`);
  else if (isMainThread) process.send?.(line);
  else parentPort?.postMessage(line);
}

flags.on('change', tell);
flags.on('status', tell);
tell();

if (isFirst) {
  const pass = (line: AnswerLine): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
  cluster.on('message', (_worker, line: AnswerLine) => pass(line));
  for (let index = 0; index < 2; index += 1) cluster.fork();
  const child = fork(program, process.argv.slice(2), { env: { ...process.env, [forked]: 'yes' } });
  child.on('message', (line) => pass(line as AnswerLine));
  const argv = process.argv.slice(2);
  const threads = Array.from({ length: 2 }, () => new Worker(program, { argv }));
  for (const thread of threads) thread.on('message', pass);
  process.stdin.resume().on('end', () => {
    child.kill();
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill();
    process.exit(0);
  });
}
// A client keeps nobody running: a thread or process that was made here waits for what it is never told.
else if (isMainThread) process.on('disconnect', () => process.exit(0));
else parentPort?.on('message', () => undefined);
