import t from 'tap';
import { declaredWithinMs, PositionHistory } from './position-history.ts';

type Look = readonly [pid: number, position: number, newStarts: number, endedStarts: number];

/** @returns what is found in looks, each of them a second after the one before */
function judge(...looks: readonly Look[]) {
  const history = new PositionHistory('node 0');
  const found = looks.map(([pid, position, newStarts, endedStarts], second) =>
    history.see({ pid, position, newStarts, endedStarts, atMs: second * 1000 }),
  );
  const wrong = [...found, history.end()].filter((each) => each !== null);
  return { wrong, declared: history.declared, looks: history.looks };
}

const stepBack = 'node 0 went back from position 9 to 8 and did not say that it starts anew';

/** The same look until nothing can be declared any more. */
function longAfter(look: Look): readonly Look[] {
  return Array.from({ length: declaredWithinMs / 1000 + 2 }, () => look);
}

t.test('positions that only rise are right, in one process and in the next', async (t) => {
  t.same(judge([1, 0, 0, 0], [1, 5, 0, 0], [1, 5, 0, 0], [1, 9, 0, 0], [2, 0, 0, 0], [2, 9, 0, 0]), {
    ...{ wrong: [], declared: 0, looks: 4 },
  });
});

t.test('a step back is found that nothing is said of, once', async (t) => {
  t.same(judge([1, 9, 0, 0], ...longAfter([1, 8, 0, 0])).wrong, [stepBack]);
  t.same(judge([1, 9, 0, 0], [2, 0, 0, 0], ...longAfter([2, 8, 0, 0])).wrong, [stepBack]);
});

t.test('a new start that was over before does not declare it', async (t) => {
  t.same(judge([1, 9, 1, 1], ...longAfter([1, 8, 1, 1])).wrong, [stepBack]);
});

t.test('it is found too when the process or the watch ends before the time is up', async (t) => {
  t.same(judge([1, 9, 0, 0], [1, 8, 0, 0], [2, 8, 1, 1]).wrong, [stepBack]);
  t.same(judge([1, 9, 0, 0], [1, 8, 0, 0]).wrong, [stepBack]);
});

t.test('a step back is right that the node declares, before it or soon after', async (t) => {
  const right = { wrong: [], declared: 1 };
  t.match(judge([1, 9, 0, 0], ...longAfter([1, 8, 1, 1])), right);
  t.match(judge([1, 9, 1, 0], ...longAfter([1, 8, 1, 1])), right);
  t.match(judge([1, 9, 0, 0], [1, 8, 0, 0], [1, 8, 1, 0]), right);
  t.match(judge([1, 9, 3, 3], [2, 8, 1, 1]), right);
});

t.test('a process that has opened its directory does not go back to nothing', async (t) => {
  t.equal(judge([1, 9, 0, 0], [1, 0, 0, 0]).wrong.length, 1);
});
