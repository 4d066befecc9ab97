import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { provisionOne } from '../lifecycle/lifecycle-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* The event loop frees lmdb's memory outside of JavaScript's heap: a thread whose loop never turns grows for ever. */
t.setTimeout(60_000);

/** Two workers, writer and notifier. A spare worker only waits for its first task. */
const workingThreads = 4;

t.test('the event loop of every thread turns while workers are busy and while they are idle', async (t) => {
  const { dataDir, flag } = await provisionOne(t);
  const turnsDirectory = temporaryDirectory(t);
  const preload = new URL('../support/turning-preload.js', import.meta.url).href;
  const server = await bootServer(t, {
    dataDir,
    settings: {
      ...unlimited,
      BURGEE_WORKERS: '2',
      NODE_OPTIONS: `--import ${preload}`,
      TURNS_DIRECTORY: turnsDirectory,
    },
  });
  const turns = () =>
    Object.fromEntries(
      readdirSync(turnsDirectory).map((thread) => [
        thread,
        Number(readFileSync(join(turnsDirectory, thread), 'latin1')),
      ]),
    );
  const haveAllTurned = (since: Readonly<Record<string, number>>) => {
    const haveTurned = () =>
      Object.entries(turns()).filter(([thread, count]) => count > (since[thread] ?? 0) + 1);
    const isEnough = () => haveTurned().length >= workingThreads;
    return eventually(isEnough, 20_000, 'not every thread has turned its event loop');
  };
  const begun = turns();
  await haveAllTurned(begun);

  const client = createHttpClient(t, { port: server.port });
  let isOver = false;
  const load = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const { status } = await client.send({ path: `/v1/flags/${flag}?targetingKey=a` });
      if (status !== 200) throw new Error(`an evaluation: ${status}`);
    }
  });
  await haveAllTurned(turns());
  isOver = true;
  await Promise.all(load);
  await server.stop();
});
