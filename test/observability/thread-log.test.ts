import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import {
  createLogMemory,
  createThreadLog,
  type LogLines,
  LogSender,
  linesOnTheWayMax,
  receiveLines,
} from '../../src/observability/thread-log.ts';

const program = fileURLToPath(new URL('./log-from-threads.js', import.meta.url));
const [threads, linesOfThread] = [4, 400];

t.test('lines of several threads never interleave, and the last of each thread arrives', async (t) => {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  // A reader that is slower than the threads: the pipe is full most of the time.
  const pieces: Buffer[] = [];
  const closed = once(child, 'close');
  child.stdout.pause();
  await setTimeout(300);
  for await (const piece of child.stdout) {
    pieces.push(piece as Buffer);
    await setTimeout(2);
  }
  await closed;
  const lines = Buffer.concat(pieces).toString().trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (let thread = 0; thread < threads; thread += 1) {
    const own = records.filter((record) => record['thread'] === thread);
    t.equal(own.length, linesOfThread + 2);
    t.same(
      own.slice(0, linesOfThread).map(({ line }) => line),
      Array.from({ length: linesOfThread }, (_, line) => line),
      'in order',
    );
    t.match(own.slice(-2), [{ msg: 'the last words' }, { msg: 'a thread has ended' }]);
  }
  t.match(records.at(-1), { msg: 'all have ended', onTheWay: 0 });
});

t.test(
  'the lines in transit of all threads are bounded, and a line without space is dropped completely',
  async (t) => {
    const memory = createLogMemory();
    const sent: LogLines[] = [];
    const [one, other] = [0, 1].map(() => new LogSender(memory, (lines) => sent.push(lines))) as [
      LogSender,
      LogSender,
    ];
    const line = `${'é'.repeat(511)}x\n`;
    const bytes = Buffer.byteLength(line);
    t.equal(bytes, 1024);
    for (let index = 0; index < (linesOnTheWayMax / bytes) * 2; index += 1) {
      (index % 2 === 0 ? one : other).write(line);
    }
    t.equal(sent.length, linesOnTheWayMax / bytes);
    other.write('y\n');
    t.equal(sent.length, linesOnTheWayMax / bytes, 'a short line too');
    const [first] = sent as [LogLines];
    t.equal(receiveLines(memory, first), line);
    other.write('y\n');
    t.equal(sent.at(-1)?.lines, 'y\n', 'there is space again');
    for (const lines of sent.slice(1)) receiveLines(memory, lines);
    t.equal(new Int32Array(memory)[0], 0);
  },
);

t.test('a line is sent before the next instruction, and holds no secret', async (t) => {
  const sent: LogLines[] = [];
  const log = createThreadLog('info', new LogSender(createLogMemory(), (lines) => sent.push(lines)));
  log.info({ authorization: 'Bearer secret', headers: { authorization: 'Bearer secret' } }, 'a request');
  t.equal(sent.length, 1);
  t.notMatch(sent[0]?.lines, /secret/);
  log.debug('not at this level');
  t.equal(sent.length, 1);
});
