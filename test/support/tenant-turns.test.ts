import t from 'tap';
import { TenantTurns } from '../../src/support/tenant-turns.ts';

interface Item {
  readonly name: string;
}

t.test('organisations take turns, and so do the projects of one', async (t) => {
  const turns = new TenantTurns<Item>();
  const add = (accountId: string | null, projectId: string, name: string): (() => void) => {
    const item = { name };
    turns.add({ accountId, projectId }, item);
    return () => turns.delete({ accountId, projectId }, item);
  };
  for (const [project, name] of ['a1', 'a2', 'b1', 'c1']) add('o', project as string, `o ${project}${name}`);
  const withdraw = add('o', 'b', 'withdrawn');
  add('p', 'd', 'p d1');
  add(null, 'e', 'e1');
  add(null, 'e', 'e2');
  withdraw();
  withdraw();
  t.equal(turns.size, 7);
  const order = Array.from({ length: 8 }, () => turns.take()?.name);
  t.same(order, ['o a1', 'p d1', 'e1', 'o b1', 'e2', 'o c1', 'o a2', undefined]);
  t.equal(turns.size, 0);
});

t.test('what waits already keeps its place', async (t) => {
  const turns = new TenantTurns<Item>();
  const tenant = { accountId: null, projectId: 'a' };
  const [first, second] = [{ name: 'first' }, { name: 'second' }];
  for (const item of [first, second, first]) turns.add(tenant, item);
  t.equal(turns.size, 2);
  t.same([turns.take(), turns.take()], [first, second]);
});
