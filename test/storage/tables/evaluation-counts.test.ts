import t from 'tap';
import { hourMs, hoursKept } from '../../../src/domain/usage/evaluation-count.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { newId } from '../../../src/support/random-id.ts';
import { evaluationCountOf } from '../support/records.ts';
import { newStore } from '../support/sample-store.ts';

t.test('counts of an hour add up, environment by environment', async (test) => {
  const { directory, store, reader } = newStore(test);
  const flagId = newId();
  const hour = 1000 * hourMs;
  const add = (environmentNumber: number, on: number, off: number) =>
    store.write(({ apply }) =>
      apply([
        { kind: 'evaluation-count', count: evaluationCountOf(flagId, { hour, environmentNumber, on, off }) },
      ]),
    );
  add(1, 3, 0);
  add(7, 1, 1);
  add(1, 2, 5);
  const counts = [...reader.queries.evaluationCounts(flagId, hour)];
  counts.sort((one, other) => one.environmentNumber - other.environmentNumber);
  test.strictSame(
    counts.map(({ environmentNumber, on, off }) => [environmentNumber, on, off]),
    [
      [1, 5, 5],
      [7, 1, 1],
    ],
  );
  test.strictSame(reader.queries.evaluationCounts(flagId, hour + hourMs), []);
  test.strictSame(reader.queries.evaluationCounts('no id', hour), []);
  test.strictSame([...checkStore(directory)], []);
});

t.test('counts are kept for 48 hours, and not an hour longer', async (test) => {
  const { store, reader } = newStore(test);
  const flagIds = [newId(), newId(), newId()];
  const first = 5000 * hourMs;
  for (let hours = 0; hours <= hoursKept + 2; hours += 1) {
    const hour = first + hours * hourMs;
    store.write(({ apply }) =>
      apply(
        flagIds.map((flagId) => ({ kind: 'evaluation-count', count: evaluationCountOf(flagId, { hour }) })),
      ),
    );
    reader.renew();
    const hoursStored = Math.min(hours + 1, hoursKept);
    test.equal(reader.counts().get('evaluation-counts'), hoursStored * flagIds.length, `hour ${hours}`);
  }
});
