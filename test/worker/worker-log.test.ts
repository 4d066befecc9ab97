import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { GatheredLines } from '../../src/worker/worker-log.ts';

const program = fileURLToPath(new URL('./log-requests.js', import.meta.url));

function start(t: Test, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Waits for the first lines of a program's log, while it runs or after its end. */
async function firstLines(
  child: ReturnType<typeof start>,
  count: number,
): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line) as Record<string, unknown>);
    if (lines.length === count) break;
  }
  return lines;
}

t.test('requests are in the log soon, without further requests', async (t) => {
  const lines = await firstLines(start(t, 'wait'), 100);
  t.same(
    lines.map(({ requestId }) => requestId),
    Array.from({ length: 100 }, (_unused, index) => `r${index + 1}`),
  );
  const { time, ...fields } = lines[0] ?? {};
  t.ok(Math.abs(Date.now() - Number(time)) < 60_000, 'the time is in Unix milliseconds');
  t.same(fields, {
    level: 30,
    requestId: 'r1',
    tokenId: null,
    method: 'get',
    route: 'read-flag',
    status: 200,
    durationMs: 0.5,
    address: '127.0.0.1',
    msg: 'request',
  });
});

t.test('another line comes after those of earlier requests', async (t) => {
  const lines = await firstLines(start(t, 'other'), 101);
  t.match(lines.at(-1), { level: 40, actor: 'worker', index: 7, msg: 'another line' });
});

t.test('no request of an ending worker is missing', async (t) => {
  t.equal((await firstLines(start(t, 'end'), 101)).length, 100, 'all of them, and nothing else');
});

t.test('a level above info omits requests', async (t) => {
  const lines = await firstLines(start(t, 'other', 'warn'), 1);
  t.match(lines, [{ msg: 'another line' }]);
});

t.test('the size of gathered lines is bounded', async (t) => {
  const handedOn: string[] = [];
  const gathered = new GatheredLines((lines) => handedOn.push(lines));
  const line = `${'x'.repeat(1023)}\n`;
  for (let written = 0; written < 40; written += 1) gathered.write(line);
  t.same(
    handedOn.map(({ length }) => length),
    [16 * 1024, 16 * 1024],
  );
  gathered.handOn();
  gathered.handOn();
  t.equal(handedOn.join(''), line.repeat(40), 'no line is lost, and none comes twice');
});
