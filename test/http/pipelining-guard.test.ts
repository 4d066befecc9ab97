import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { gatheredBytes, PipeliningGuard } from '../../src/http/pipelining-guard.ts';

const answerBytes = 250;
const fitting = Math.floor(gatheredBytes / answerBytes);

/** @returns how many of the answers surely have room */
function sureOf(guard: PipeliningGuard, answers: number): number {
  let sure = 0;
  for (let count = 0; count < answers; count += 1) if (guard.hasRoom(answerBytes)) sure += 1;
  return sure;
}

t.test('as many answers of a turn surely have room as the library gathers, in each turn', async (t) => {
  const guard = new PipeliningGuard(() => 64);
  for (let turn = 0; turn < 20; turn += 1) {
    t.equal(sureOf(guard, fitting), fitting, `in turn ${turn}`);
    await setImmediate();
  }
  t.equal(sureOf(guard, 2 * fitting), fitting, 'and no more of one');
  await setImmediate();
  t.equal(sureOf(guard, fitting), fitting);
});

t.test('an answer that is not counted may have filled what the library gathers', async (t) => {
  const guard = new PipeliningGuard(() => 64);
  guard.hasUncounted();
  t.equal(sureOf(guard, 2), 0);
  await setImmediate();
  t.equal(sureOf(guard, 2), 2);
});

t.test('passes with few answers are counted together until there are enough to forget', async (t) => {
  const guard = new PipeliningGuard(() => 64);
  for (let turn = 0; turn < 4 * fitting; turn += 1) {
    t.ok(guard.hasRoom(answerBytes));
    await setImmediate();
  }
});
