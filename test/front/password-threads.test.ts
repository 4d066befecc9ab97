import { readdirSync, readFileSync } from 'node:fs';
import { pino } from 'pino';
import t from 'tap';
import { hashesAtOnce } from '../../src/front/password-queue.ts';
import { PasswordThreads } from '../../src/front/password-threads.ts';

const isLinux = process.platform === 'linux';

/** @returns the niceness of each thread of this process; none on systems where threads have none */
function nicenesses(): number[] {
  if (!isLinux) return [];
  return readdirSync('/proc/self/task').map((thread) => {
    const [, fields = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(/\) (?!.*\) )/s);
    return Number(fields.split(' ')[16]);
  });
}

t.test('passwords are hashed and checked in threads of low priority, as many as allowed', async (t) => {
  const threads = new PasswordThreads(hashesAtOnce, pino({ level: 'silent' }));
  t.notOk(nicenesses().includes(10), 'none before there is something to hash');
  const [hash, other] = await Promise.all([threads.hash('a password'), threads.hash('another')]);
  t.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  t.not(hash, other);
  const answers = await Promise.all([
    threads.isRight(hash, 'a password'),
    threads.isRight(hash, 'another'),
    threads.isRight('no hash', 'a password'),
  ]);
  t.same(answers, [true, false, false]);
  t.equal(nicenesses().filter((nice) => nice === 10).length, isLinux ? hashesAtOnce : 0);
  await threads.end();
  t.notOk(nicenesses().includes(10), 'they have ended');
});

t.test('threads that were never needed end at once', async (t) => {
  const threads = new PasswordThreads(hashesAtOnce, pino({ level: 'silent' }));
  await t.resolves(threads.end());
});
