import t from 'tap';
import { quotaDayOf } from '../../../src/domain/organisation/write-quota.ts';
import { openStore } from '../../../src/storage/store.ts';
import { newId } from '../../../src/support/random-id.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditEntryOf, creationOf, memberOf, organisationOf, projectOf } from '../support/records.ts';

t.test('written bytes count for an organisation, or for the owner of personal projects', async (t) => {
  const store = openStore({ directory: temporaryDirectory(t), mapBytes: 2 ** 26 });
  t.teardown(() => store.close());
  const organisation = organisationOf();
  const owner = memberOf({ organisationId: organisation.id });
  const shared = projectOf(organisation.id);
  const personal = [1, 2].map((number) =>
    projectOf(null, { name: `of my own ${number}`, ownerMemberId: owner.id }),
  );
  store.write(({ apply }) =>
    apply([
      creationOf('organisation', organisation),
      creationOf('member', owner),
      ...[shared, ...personal].map((project) => creationOf('project', project)),
    ]),
  );
  const at = 5_000;
  const written = (ledgerId: string): number =>
    store.write(({ writtenBytesOn }) => writtenBytesOn(ledgerId, quotaDayOf(at)));
  const write = (ledgerId: string): void => {
    const actor = { kind: 'member', id: owner.id, name: 'Owner' } as const;
    store.write(({ apply }) => apply([{ kind: 'audit', entry: auditEntryOf(ledgerId, { at, actor }) }]));
  };
  const [first = '', second = ''] = personal.map(({ id }) => id);

  write(organisation.id);
  t.ok(written(organisation.id) > 0, 'an organisation has its own count');
  t.equal(written(first), 0);

  write(first);
  const once = written(first);
  t.ok(once > 0);
  write(second);
  t.ok(written(first) > once, 'another project of the same owner counts to the same quota');
  t.equal(written(first), written(second));
  t.equal(written(newId()), 0);
});
