import t from 'tap';
import { type TurnHolder, Turns } from '../../src/worker/sync/turns.ts';

interface Asked extends TurnHolder {
  readonly name: string;
}

/** @param begun takes the names of those that have begun */
const holderOf = (name: string, projectId: string, accountId: string, begun: string[]): Asked => ({
  name,
  tenant: { projectId, accountId },
  begin: () => void begun.push(name),
});

t.test('projects and organisations have their shares, and take turns', async (t) => {
  const turns = new Turns(8);
  const begun: string[] = [];
  const ask = (name: string, account: string) => {
    const holder = holderOf(name, name.slice(0, 1), account, begun);
    turns.ask(holder);
    return holder;
  };
  const held = Array.from({ length: 6 }, (_unused, index) => ask(`a${index}`, 'o'));
  t.same(begun.splice(0), ['a0', 'a1', 'a2', 'a3'], 'half for a project');
  for (const name of ['b0', 'b1']) ask(name, 'o');
  t.same(begun.splice(0), ['b0'], 'three fifths for its organisation');
  for (const name of ['c0', 'c1', 'c2']) ask(name, 'p');
  t.same(begun.splice(0), ['c0', 'c1'], 'another one finds half of the rest');
  const [first, second, third] = held as [Asked, Asked, Asked];
  turns.give(first);
  turns.give(second);
  t.same(begun.splice(0), ['a4'], 'one of the organisation that waits longest');
  turns.give(third);
  t.same(begun.splice(0), ['c2'], 'one of the other');
});

t.test('who gives a turn back at once, or does not want it any more, holds up nobody', async (t) => {
  const turns = new Turns(2);
  const begun: string[] = [];
  const first = holderOf('first', 'p', 'o', begun);
  turns.ask(first);
  const gone = Array.from({ length: 30_000 }, (_unused, index) => holderOf(`${index}`, 'p', 'o', begun));
  for (const holder of gone) turns.ask(holder);
  for (const holder of gone) turns.withdraw(holder);
  let count = 0;
  for (let index = 0; index < 30_000; index += 1) {
    const holder: TurnHolder = {
      tenant: first.tenant,
      begin: () => {
        count += 1;
        turns.give(holder);
      },
    };
    turns.ask(holder);
  }
  t.same(begun, ['first']);
  t.equal(count, 0);
  turns.give(first);
  t.same(begun, ['first']);
  t.equal(count, 30_000);
});
