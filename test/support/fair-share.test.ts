import t from 'tap';
import { FairAmount, type Tenant } from '../../src/support/fair-share.ts';

const tenant = (projectId: string, accountId: string | null = null): Tenant => ({ projectId, accountId });
const newAmount = () => new FairAmount(120, { project: 1, organisation: 1.5 });

/** @returns how many a tenant gets until it is refused */
function fill(amount: FairAmount, of: (count: number) => Tenant): number {
  let count = 0;
  while (amount.take(of(count), 1)) count += 1;
  return count;
}

t.test('a project has half, an organisation three fifths, and something is left for the next', async (t) => {
  const amount = newAmount();
  t.equal(
    fill(amount, () => tenant('a', 'o')),
    60,
  );
  t.equal(
    fill(amount, (count) => tenant(`b${count}`, 'o')),
    12,
  );
  t.equal(
    fill(amount, () => tenant('c')),
    24,
    'half of the 48 that are left',
  );
  t.equal(amount.held, 96);
});

t.test('what is given back is free again', async (t) => {
  const amount = newAmount();
  t.ok(amount.take(tenant('a'), 60));
  t.notOk(amount.take(tenant('a'), 1));
  t.notOk(amount.take(tenant('b'), 61), 'more than is free');
  amount.give(tenant('a'), 60);
  t.ok(amount.take(tenant('b'), 60));
});
