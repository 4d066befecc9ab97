import t, { type Test } from 'tap';
import { createRandom } from '../support/random.ts';
import { runProgram } from './programs/run-program.ts';
import { randomConfiguration } from './wire/random-configuration.ts';
import { WireServer } from './wire/wire-server.ts';

t.setTimeout(60_000);

async function begin(t: Test) {
  const random = createRandom(1);
  const server = await new WireServer(randomConfiguration(random, 30)).start(t);
  server.beatMs = 1000;
  return { random, server };
}

/** A client prints it once: with the last of the events that bring it up to date. */
function lineOf({ version }: WireServer): string {
  return JSON.stringify({ version, status: 'ready' });
}

for (const [how, clients] of [
  ['cluster', 3],
  ['threads', 4],
] as const) {
  t.test(`each process or thread follows by itself: ${how}`, async (t) => {
    const { random, server } = await begin(t);
    const program = runProgram(t, 'many-clients', [server.url, '3', how]);
    await program.lineCount((line) => line === lineOf(server), clients);
    server.change(random, 5);
    await program.lineCount((line) => line === lineOf(server), clients);
    await server.kill();
    await program.lineCount((line) => line.includes('"stale"'), clients);
    server.change(random, 5);
    await server.start();
    await program.lineCount((line) => line === lineOf(server), clients);
    t.equal(server.openStreams, clients);
  });
}

t.test('a program that has nothing else to do ends, connected or not', async (t) => {
  const { server } = await begin(t);
  for (const url of [server.url, 'http://127.0.0.1:1']) {
    const program = runProgram(t, 'many-clients', [url, '1', 'alone']);
    const code = await new Promise((resolve) => program.child.once('exit', resolve));
    t.equal(code, 0);
  }
});
