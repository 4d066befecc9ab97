import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Each wake-up of an idle thread takes CPU time from evaluations and other processes. */

const seconds = 3;
/** The heartbeats of two workers, the checks of the main thread, and some wake-ups of the runtime. */
const wakeUpsMax = 40;

/** @returns the voluntary context switches of a process's threads */
function countSleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
  }, 0);
}

const options = { skip: existsSync('/proc/self/task') ? false : 'only /proc has these figures' };

t.test('a service without requests sleeps', options, async (t) => {
  const { pid, stop } = await bootServer(t, {
    dataDir: temporaryDirectory(t),
    settings: { BURGEE_WORKERS: '2' },
  });
  // V8 collects garbage for some seconds after a start, so the quietest of several rounds counts.
  let fewest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && fewest > wakeUpsMax; round += 1) {
    const before = countSleeps(pid);
    await setTimeout(seconds * 1000);
    fewest = Math.min(fewest, (countSleeps(pid) - before) / seconds);
  }
  t.ok(fewest <= wakeUpsMax, `${fewest} wake-ups a second`);
  await stop();
});
