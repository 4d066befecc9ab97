import { statSync } from 'node:fs';
import t from 'tap';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { newId } from '../../../src/support/random-id.ts';
import { createRandom } from '../../support/random.ts';
import { auditEntryOf, flagChangeOf, flagOf } from '../support/records.ts';
import { newStore } from '../support/sample-store.ts';

const transactions = 60;

/** A flag with its audit entry, as provisioning writes them. */
function changesOf(projectId: string, nameBytes: number, cohortBytes: number): readonly RecordChange[] {
  const cohorts = cohortBytes === 0 ? [] : ['c'.repeat(cohortBytes)];
  const after = flagOf(projectId, { name: 'n'.repeat(nameBytes), cohorts });
  return [flagChangeOf(null, after), { kind: 'audit', entry: auditEntryOf(projectId) }];
}

t.test('the data file never grows by more than the estimate before the commit', (test) => {
  const random = createRandom(1);
  const { directory, store, reader } = newStore(test);
  const bytes = (): number => statSync(dataFileOf(directory)).size;
  // An open snapshot prevents the reuse of freed pages.
  reader.renew();
  reader.counts();
  const projectId = newId();
  let said = 0;
  let grown = 0;
  for (let turn = 0; turn < transactions; turn += 1) {
    const count = random.integer(0, turn % 10 === 0 ? 1500 : 20);
    const cohortBytes = random.chance(0.2) ? random.integer(1, 20_000) : 0;
    const before = bytes();
    let bound = 0;
    store.write(
      ({ apply }) => {
        for (let left = count; left > 0; left -= 1) {
          apply(changesOf(projectId, random.integer(1, 200), cohortBytes));
        }
      },
      (growthMax) => {
        bound = growthMax;
      },
    );
    const growth = bytes() - before;
    test.ok(growth <= bound, `${count} flags with ${cohortBytes} bytes: ${growth} of ${bound}`);
    said += bound;
    grown += growth;
  }
  test.ok(grown > 0 && said < 20 * grown, `the estimate was ${said}, and the file grew by ${grown}`);
  test.end();
});

t.test('a write without space leaves nothing', (test) => {
  const { store, reader } = newStore(test);
  const projectId = newId();
  const refuse = (growthMax: number): void => {
    if (growthMax > 0) throw new Error(`no room for ${growthMax} bytes`);
  };
  test.doesNotThrow(() => store.write(() => undefined, refuse), 'an empty write needs no space');
  test.throws(() => store.write(({ apply }) => apply(changesOf(projectId, 1, 0)), refuse), /no room/);
  reader.renew();
  test.strictSame([...reader.queries.flagsOf(projectId)], []);
  store.write(({ apply }) => apply(changesOf(projectId, 1, 0)));
  reader.renew();
  test.equal([...reader.queries.flagsOf(projectId)].length, 1, 'and later writes succeed');
  test.end();
});
