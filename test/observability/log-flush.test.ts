import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const program = fileURLToPath(new URL('./log-and-end.js', import.meta.url));

function start() {
  return spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function endOf(child: ReturnType<typeof start>, event: 'exit' | 'close'): Promise<unknown> {
  return new Promise((resolve) => child.once(event, (code, signal) => resolve(signal ?? code)));
}

t.test('the last line of a process that ends itself is in its log', async (t) => {
  for (let run = 0; run < 5; run += 1) {
    const child = start();
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    t.equal(await endOf(child, 'close'), 'SIGKILL');
    const lines = output.trim().split('\n');
    t.equal(lines.length, 101, 'no line is lost');
    t.match(lines.at(-1), /the last words/);
  }
});

t.test('also through a pipe, unlike the sockets of this test', async (t) => {
  const child = spawn('sh', ['-c', '"$0" "$1" | cat', process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await endOf(child, 'close');
  t.equal(output.trim().split('\n').length, 101, 'no line is lost');
});

t.test('a log without a reader keeps no process from ending', async (t) => {
  const child = start();
  child.stdout.destroy();
  t.equal(await endOf(child, 'exit'), 'SIGKILL');
});
