import t from 'tap';
import { findStaleAnswer, type LeaseModelOptions, type Weakening, weakenings } from './lease-model.ts';

/*
 * Every order of steps of a writer, a node and a database, with the rules that the product runs by. LEASE_MODEL=large tries
 * longer leases, two crashes and two reads at once: some minutes.
 */
t.setTimeout(600_000);
const small: Omit<LeaseModelOptions, 'weakening'> = { leaseTicks: 2, crashesMax: 1, reads: 1 };
const large = { leaseTicks: 3, crashesMax: 2, reads: 2 } as const;
const bounds = process.env['LEASE_MODEL'] === 'large' ? large : small;

t.test(
  'by the rules of leases no node answers with a state that is older than what was acknowledged',
  async (t) => {
    const { states, steps } = findStaleAnswer({ ...bounds, weakening: null });
    t.equal(steps, null, 'no order of steps leads to one');
    t.ok(states > 10_000, `${states} states were looked at`);
    t.comment(`${states} states`);
  },
);

t.test('with any rule weakened there is an order of steps to a stale answer', async (t) => {
  for (const [weakening, crashesMax] of Object.entries(weakenings) as [Weakening, number][]) {
    const { states, steps } = findStaleAnswer({ ...small, crashesMax, weakening });
    t.not(steps, null, `${weakening}: not one in ${states} states`);
    t.comment(`${weakening}, after ${states} states: ${steps?.join(', ')}`);
  }
});
