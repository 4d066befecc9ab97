import t from 'tap';
import type { ApiCall } from '../../src/operations/call.ts';
import type { ConsoleOperationId } from '../../src/operations/console-routes.ts';
import { Reads } from '../../src/operations/reads.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { PreparedStore } from '../console/prepared-store.ts';
import { flagChangeOf, flagOf } from '../storage/support/records.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { plainSettings } from './run-operation.ts';

const head = {
  api: 'management',
  operation: 'patch-flag',
  query: '',
  address: '192.0.2.1',
  header: null,
} as const;
const rest = { requestId: 'request', userAgent: '', body: null, isBodyTooLarge: false } as const;

t.test('changes that take the writer long wait in the turn of their organisation', async (t) => {
  const store = new PreparedStore();
  const cohorts = Array.from({ length: 20_000 }, (_, index) => `cohort ${index} of a long list`);
  const long = flagOf(store.project.id, { cohorts });
  store.add([flagChangeOf(null, long)]);
  const credential = store.addToken();
  const session = store.addSession(store.addMember('owner'));
  const directory = temporaryDirectory(t);
  await store.write(directory);
  const reader = openStoreReader({ directory, mapBytes: 2 ** 30 });
  t.teardown(() => reader.close());
  const reads = new Reads(
    reader,
    { refresh: () => false, refreshSettled: () => undefined },
    {
      docsUrl: '/docs',
      console: plainSettings,
      tokenPrefixesAccepted: ['burgee'],
      onStep: () => undefined,
    },
  );
  const turnOf = (params: Record<string, string>, body: ApiCall['body'] = null) =>
    reads.turnOf({ ...head, ...rest, credential, params, body });
  const account = store.project.organisationId ?? store.project.id;
  t.equal(turnOf({ id: store.flag.id }), undefined, 'an ordinary flag');
  t.equal(turnOf({ id: long.id }), account, 'a flag of half a megabyte');
  t.equal(turnOf({ id: store.flag.id }, Buffer.alloc(40_000)), account, 'a body of forty kilobytes');
  const ofConsole = (operation: ConsoleOperationId, params: Record<string, string>) =>
    reads.turnOf({ ...head, ...rest, api: 'console', operation, credential: session, params });
  const projectId = store.project.id;
  t.equal(ofConsole('edit-audience', { projectId, audienceId: 'any' }), account, 'it searches all flags');
  t.equal(ofConsole('create-token', { projectId }), account, 'it reads all tokens');
  t.equal(ofConsole('create-project', {}), account, 'it reads all projects of the store');
  t.equal(ofConsole('edit-flag', { projectId, flagId: store.flag.id }), undefined, 'an ordinary flag');
  for (const operation of ['list-flags', 'patch-flag']) {
    t.match(reads.checkHead({ ...head, credential, operation, params: {} }), {
      asker: { project: projectId, organisation: account },
    });
  }
});
