import t from 'tap';
import { accountOf, type Project, withoutOrganisation } from '../../../src/domain/project/project.ts';

/* Whoever has many projects has one share, whether they are an organisation's or its members' own. */

const project = { id: 'p', name: 'p' } as Project;

t.test('projects count for their organisation, personal ones for that of their owner', async (t) => {
  const members = new Map([
    ['ada', { organisationId: 'o' }],
    ['bob', { organisationId: null }],
  ]);
  const account = (owner: Pick<Project, 'organisationId' | 'ownerMemberId'>): string =>
    accountOf({ ...project, ...owner }, (id) => members.get(id));
  t.equal(account({ organisationId: 'o', ownerMemberId: null }), 'o');
  t.equal(account({ organisationId: null, ownerMemberId: 'ada' }), 'o');
  t.equal(account({ organisationId: null, ownerMemberId: 'bob' }), withoutOrganisation);
  t.equal(account({ organisationId: null, ownerMemberId: 'gone' }), withoutOrganisation);
});
