import t from 'tap';
import { WatchedTime } from '../../src/support/watched-time.ts';

t.test('time passes while somebody looks', async (t) => {
  const time = new WatchedTime(250, 1000);
  t.equal(time.look(1000), 0);
  t.equal(time.look(1250), 250);
  t.equal(time.look(2000), 1000, 'a look may be late');
});

t.test('a process that stood has lost a few intervals at most', async (t) => {
  const time = new WatchedTime(250, 0);
  time.look(250);
  const beforeMs = time.look(500);
  const afterMs = time.look(3_600_000);
  t.equal(afterMs - beforeMs, 2500);
  t.equal(time.look(3_600_250) - afterMs, 250, 'then time passes as before');
});
