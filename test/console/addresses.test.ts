import t from 'tap';
import { addressOf } from '../../src/console/client/address-of.ts';

t.test('an address has its parameters and its query escaped, and no empty ones', async (t) => {
  t.equal(
    addressOf('read-console-flag', { projectId: 'p/1', flagId: 'f 2' }),
    '/console/api/projects/p%2F1/flags/f%202',
  );
  t.equal(
    addressOf('preview-environment', { projectId: 'p', number: 3 }, { name: 'a b+c' }),
    '/console/api/projects/p/environments/3/impact?name=a%20b%2Bc',
  );
  t.equal(addressOf('list-audit', {}, { actor: '' }), '/console/api/audit');
});
