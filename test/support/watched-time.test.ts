import t from 'tap';
import { WatchedTime } from '../../src/support/watched-time.ts';

t.test('time advances while it is checked', async (t) => {
  const time = new WatchedTime(250, 1000);
  t.equal(time.look(1000), 0);
  t.equal(time.look(1250), 250);
  t.equal(time.look(2000), 1000, 'a check may be late');
});

t.test('after a stop of the process time advances by a few intervals at most', async (t) => {
  const time = new WatchedTime(250, 0);
  time.look(250);
  const beforeMs = time.look(500);
  const afterMs = time.look(3_600_000);
  t.equal(afterMs - beforeMs, 2500);
  t.equal(time.look(3_600_250) - afterMs, 250, 'then time advances as before');
});
