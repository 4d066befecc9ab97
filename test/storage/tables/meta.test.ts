import t from 'tap';
import { quotaDayOf } from '../../../src/domain/organisation/write-quota.ts';
import { openStore } from '../../../src/storage/store.ts';
import { newId } from '../../../src/support/random-id.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditEntryOf, creationOf, memberOf, organisationOf, projectOf } from '../support/records.ts';

t.test(
  'written bytes count for an organisation, also those of personal projects of its members',
  async (t) => {
    const store = openStore({ directory: temporaryDirectory(t), mapBytes: 2 ** 26 });
    t.teardown(() => store.close());
    const organisation = organisationOf();
    const owner = memberOf({ organisationId: organisation.id });
    const [other, removed] = [organisation.id, null].map((organisationId) => memberOf({ organisationId }));
    if (other === undefined || removed === undefined) throw new Error('there is no member');
    const shared = projectOf(organisation.id);
    const personal = [owner, other, removed].map((member) =>
      projectOf(null, { name: 'of my own', ownerMemberId: member.id }),
    );
    store.write(({ apply }) =>
      apply([
        creationOf('organisation', organisation),
        ...[owner, other, removed].map((member) => creationOf('member', member)),
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
    const [first = '', second = '', ofRemoved = ''] = personal.map(({ id }) => id);

    write(organisation.id);
    const once = written(organisation.id);
    t.ok(once > 0);
    for (const ledgerId of [first, second]) {
      const before = written(organisation.id);
      write(ledgerId);
      t.ok(written(organisation.id) > before, "a member's project counts to the same quota");
    }
    t.equal(written(first), written(organisation.id));
    t.equal(written(second), written(organisation.id));

    t.equal(written(ofRemoved), 0, 'a member without an organisation has nothing of it');
    write(ofRemoved);
    t.ok(written(ofRemoved) > 0);
    t.equal(written(newId()), 0);
  },
);
