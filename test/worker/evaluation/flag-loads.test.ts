import t from 'tap';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import type { Steps } from '../../../src/support/steps.ts';
import { FlagLoads, type Waiter } from '../../../src/worker/evaluation/flag-loads.ts';

/* Flags that are read in steps: the order of turns, the waiting places, and dropped requests. */

const stepsOfLoad = 3;

function newScene() {
  /** The steps, in order. */
  const log: string[] = [];
  function* load(flagId: string): Steps<undefined> {
    for (let step = 1; step < stepsOfLoad; step += 1) yield;
    log.push(`read ${flagId}`);
  }
  const loads = new FlagLoads(load, () => undefined);
  const wait = (
    flagId: string,
    projectId: string,
    asker = 'someone',
    deadlineMs = Infinity,
    accountId: string | null = null,
  ): Waiter | null => {
    const waiter: Waiter = {
      asker,
      deadlineMs,
      retry: () => {
        if (loads.find(flagId) === null) return false;
        log.push(`answered ${flagId}`);
        return true;
      },
      expire: () => log.push(`late ${flagId}`),
    };
    return loads.add({ flagId, projectId, accountId }, waiter) ? waiter : null;
  };
  const finish = (): string[] => {
    while (loads.run(0));
    return log;
  };
  return { loads, log, wait, finish };
}

t.test('a flag is read once for all requests that wait for it', async (t) => {
  const { wait, finish, loads } = newScene();
  for (let count = 0; count < 3; count += 1) wait('a', 'p');
  t.equal(loads.find('a'), null, 'its reading is under way');
  t.same(finish(), ['read a', 'answered a', 'answered a', 'answered a']);
  t.equal(loads.find('a'), undefined);
  t.equal(loads.isEmpty, true);
});

t.test('the networks of one IPv6 site have the share of one asker', async (t) => {
  const { wait } = newScene();
  const ask = (site: string, count: number) => {
    const asker = `20010db8${site}${(0x1000 + count).toString(16)}/64`;
    return wait(`${site} ${count}`, `p${site} ${count}`, asker, Infinity, `o${site} ${count}`);
  };
  let count = 0;
  while (ask('0000', count) !== null) count += 1;
  t.ok(count > 600 && count < 700, `${count} of 1024 places`);
  t.ok(ask('0001', 0), 'another site has a place');
});

t.test('an organisation has one turn and one share, with any number of projects', async (t) => {
  const { wait, finish } = newScene();
  const ask = (flag: string, project: string, organisation: string, asker: string) =>
    wait(flag, project, asker, Infinity, organisation);
  for (const project of ['a', 'b', 'c']) ask(`${project}1`, project, 'many', 'someone');
  ask('d1', 'd', 'one', 'someone');
  const read = finish().filter((line) => line.startsWith('read'));
  t.same(
    read,
    ['a1', 'd1', 'b1', 'c1'].map((flag) => `read ${flag}`),
  );
  let waiting = 0;
  while (ask(`${waiting}`, `p${waiting}`, 'many', `s${waiting}`) !== null) waiting += 1;
  t.equal(waiting, 615, 'three fifths of the places');
  t.not(ask('other', 'q', 'one', 'somebody'), null, 'another organisation has a place');
});

t.test('projects take turns, for any number of flags in one of them', async (t) => {
  const { wait, finish } = newScene();
  for (const flag of ['a1', 'a2', 'a3', 'a4']) wait(flag, 'a');
  for (const flag of ['b1', 'b2']) wait(flag, 'b');
  wait('c1', 'c');
  const read = finish().filter((line) => line.startsWith('read'));
  t.same(
    read,
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'].map((flag) => `read ${flag}`),
  );
});

t.test('projects of one organisation take turns', async (t) => {
  const { wait, finish } = newScene();
  for (const flag of ['a1', 'a2', 'a3']) wait(flag, 'a', 'someone', Infinity, 'one');
  wait('b1', 'b', 'someone', Infinity, 'one');
  const read = finish().filter((line) => line.startsWith('read'));
  t.same(
    read,
    ['a1', 'b1', 'a2', 'a3'].map((flag) => `read ${flag}`),
  );
});

t.test('requests whose client has left or whose deadline has passed cost nothing', async (t) => {
  const { loads, wait, finish } = newScene();
  const left = wait('left', 'p');
  wait('late', 'q', 'someone', monotonicMs() - 1);
  wait('kept', 'r');
  if (left !== null) t.equal(loads.leave(left), true);
  if (left !== null) t.equal(loads.leave(left), false, 'once');
  t.same(finish(), ['late late', 'read kept', 'answered kept']);
});

t.test('a load for which no request waits any more is aborted', async (t) => {
  const { loads, wait, finish } = newScene();
  const waiter = wait('a', 'p');
  loads.run(0);
  if (waiter !== null) loads.leave(waiter);
  t.equal(loads.isEmpty, true);
  t.same(finish(), []);
});

t.test('no project and no address takes all places', async (t) => {
  const { wait } = newScene();
  const fill = (project: string, asker: (count: number) => string): number => {
    let count = 0;
    while (wait(`${project}${count}`, project, asker(count)) !== null) count += 1;
    return count;
  };
  const ofProject = fill('a', (count) => `address ${count}`);
  t.equal(ofProject, 512, 'one project has half of them');
  t.ok(wait('x', 'other'), 'another project has places');
  const ofNext = fill('b', (count) => `address ${count}`);
  t.ok(ofNext > 200 && ofNext < 300, `the next project gets ${ofNext}`);
  let ofAddress = 0;
  while (wait(`z${ofAddress}`, `project ${ofAddress}`, 'one address') !== null) ofAddress += 1;
  t.ok(ofAddress < 200, `${ofAddress} of one address`);
  t.ok(wait('y', 'another', 'another address'), 'and others still have places');
});

t.test('a flag that changed after it was read is read again before any answer', async (t) => {
  const { loads, log, wait, finish } = newScene();
  wait('a', 'p');
  while (log.length === 0) loads.run(0);
  loads.forgetFlag('a');
  t.same(finish(), ['read a', 'read a', 'answered a']);
  wait('a', 'p');
  while (log.length === 3) loads.run(0);
  loads.forgetProject('p');
  t.same(finish().slice(3), ['read a', 'read a', 'answered a']);
});
