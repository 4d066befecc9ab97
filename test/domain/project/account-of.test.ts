import t from 'tap';
import { accountOf, type Project } from '../../../src/domain/project/project.ts';

/* Whoever has many projects has one share, whether they are an organisation's or a person's own. */

const project = { id: 'p', name: 'p' } as Project;

t.test('personal projects count for their owner, and others for their organisation', async (t) => {
  t.equal(accountOf({ ...project, organisationId: null, ownerMemberId: 'ada' }), 'ada');
  t.equal(accountOf({ ...project, organisationId: 'o', ownerMemberId: null }), 'o');
});
