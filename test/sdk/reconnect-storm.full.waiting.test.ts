import { pathToFileURL } from 'node:url';
import t from 'tap';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { BootedService, randomDocument } from './booted-service.ts';
import { builtClient, entriesOf, importClient, installClient } from './client-package.ts';
import { runProgram } from './programs/run-program.ts';
import { until } from './wire/wire-client.ts';

/*
 * A thousand clients of the packed package in four processes, in the timings of a program. Their server is killed, is away for some seconds,
 * and comes back.
 */
t.setTimeout(180_000);
const clients = 1000;
const processes = 4;
/** With the server's start longer than a first wait: all fail once. Those that fail again and again are waited for in the end. */
const awayMs = 3000;

t.test(
  'a thousand clients whose server restarts come back spread, each less than once a second',
  async (t) => {
    const directory = temporaryDirectory(t);
    installClient(builtClient, directory);
    const module = pathToFileURL(entriesOf(directory)).href;
    const { connect } = await importClient(directory);
    const random = createRandom(1);
    const service = await BootedService.boot(t, randomDocument(random, 30));
    const { url, ...options } = service.options;
    const args = [String(url), String(clients / processes), 'here', JSON.stringify(options), module];
    const programs = Array.from({ length: processes }, () => runProgram(t, 'many-clients', args));
    const all = (passes: (line: string) => boolean) =>
      Promise.all(programs.map((program) => program.lineCount(passes, clients / processes)));
    await all((line) => line.includes('"ready"'));
    t.equal(service.openConnections, clients);
    const one = await connect(service.options);
    t.teardown(() => one.close());
    // From here on each connection is counted, also while the server is away: it ends at once.
    service.connectedAt.length = 0;
    const killedAt = performance.now();
    await service.kill();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    await service.restart();
    const [flag = ''] = service.flagIds;
    await service.patch(flag, { enabled: true, cohorts: ['back'] });
    await until(one, () => one.status === 'ready' && one.isOn(flag, { cohort: 'back' }, false));
    await all((line) => line.includes('"ready"') && line.includes(`"${one.version}"`));
    const seconds = (performance.now() - killedAt) / 1000;
    const connections = service.connectedAt.map((at) => at - killedAt);
    const rate = connections.length / (clients + 1) / seconds;
    t.ok(rate <= 1, `${rate.toFixed(2)} connections a second and client`);
    const bySlice = new Map<number, number>();
    for (const at of connections) {
      const slice = Math.floor(at / 1000);
      bySlice.set(slice, (bySlice.get(slice) ?? 0) + 1);
    }
    t.equal(bySlice.get(0) ?? 0, 0, 'nobody is back within a second');
    const most = Math.max(...bySlice.values());
    // Three seconds of first waits, and what comes by chance and late timers.
    t.ok(most <= clients / 2, `${most} connections in the fullest second`);
    t.comment(`${connections.length} connections in ${seconds.toFixed(1)} s, ${most} in the fullest second`);
    t.equal(await service.countDifferences(one, random, 1000), 0, "answers are the service's");
  },
);
