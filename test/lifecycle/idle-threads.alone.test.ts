import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Each wake-up of a thread that has nothing to do is time that evaluations, or other processes, do not get. */

const seconds = 3;
/** Beats of two workers, looks of the main thread, and some of the runtime's own. */
const wakeUpsMax = 40;

/** @returns how often the threads of a process have gone to sleep of their own accord */
function countSleeps(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1]);
  }, 0);
}

const options = { skip: existsSync('/proc/self/task') ? false : 'only /proc tells it' };

t.test('a service that nobody asks anything sleeps', options, async (t) => {
  const { pid, stop } = await bootServer(t, {
    dataDir: temporaryDirectory(t),
    settings: { BURGEE_WORKERS: '2' },
  });
  // V8 tidies up for some seconds after a start: the quietest of several rounds counts.
  let fewest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && fewest > wakeUpsMax; round += 1) {
    const before = countSleeps(pid);
    await setTimeout(seconds * 1000);
    fewest = Math.min(fewest, (countSleeps(pid) - before) / seconds);
  }
  t.ok(fewest <= wakeUpsMax, `${fewest} wake-ups a second`);
  await stop();
});
