import t from 'tap';
import { createRandom } from '../support/random.ts';
import { runProgram } from './programs/run-program.ts';
import { randomConfiguration } from './wire/random-configuration.ts';
import { WireServer } from './wire/wire-server.ts';

/*
 * A thousand clients in four processes, in the timings of a program. Their server is killed, is away for some seconds,
 * and comes back.
 */
t.setTimeout(180_000);
const clients = 1000;
const processes = 4;
const awayMs = 4000;

t.test(
  'a thousand clients whose server restarts come back spread, each less than once a second',
  async (t) => {
    const random = createRandom(1);
    const server = await new WireServer(randomConfiguration(random, 30)).start(t);
    server.beatMs = 15_000;
    const programs = Array.from({ length: processes }, () =>
      runProgram(t, 'many-clients', [server.url, String(clients / processes)]),
    );
    const all = (passes: (line: string) => boolean) =>
      Promise.all(programs.map((program) => program.lineCount(passes, clients / processes)));
    await all((line) => line.includes('"ready"'));
    t.equal(server.openStreams, clients);
    // From here on each connection is counted, also while the server is away: it hangs up at once.
    server.requests.length = 0;
    const killedAt = performance.now();
    server.fault = (_request, response) => {
      response.socket?.destroy();
      return true;
    };
    server.cutStreams();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    server.fault = null;
    server.change(random);
    await all((line) => line.includes(`"ready"`) && line.includes(`"${server.version}"`));
    const seconds = (performance.now() - killedAt) / 1000;
    const streams = server.requests.filter(({ kind }) => kind === 'stream');
    const rate = streams.length / clients / seconds;
    t.ok(rate <= 1, `${rate.toFixed(2)} connections a second and client`);
    const bySlice = new Map<number, number>();
    for (const { at } of streams) {
      const slice = Math.floor((at - killedAt) / 1000);
      bySlice.set(slice, (bySlice.get(slice) ?? 0) + 1);
    }
    t.equal(bySlice.get(0) ?? 0, 0, 'nobody is back within a second');
    const most = Math.max(...bySlice.values());
    // Three seconds of first waits, and what comes by chance and late timers.
    t.ok(most <= clients / 2, `${most} connections in the fullest second`);
    t.comment(`${streams.length} connections in ${seconds.toFixed(1)} s, ${most} in the fullest second`);
  },
);
