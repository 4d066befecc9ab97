import t, { type Test } from 'tap';
import { newTokenSecret } from '../../src/domain/token/token-secret.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { listAudit } from '../../src/operations/audit/list-audit.ts';
import { readInput } from '../../src/operations/dispatch.ts';
import { managementOperations } from '../../src/operations/management-operations.ts';
import { Reads } from '../../src/operations/reads.ts';
import { hashSecret } from '../../src/support/hash-secret.ts';
import { createStoreVersionMemory, StoreVersion } from '../../src/support/store-version.ts';
import { EvaluationMeter } from '../../src/worker/evaluation/evaluation-meter.ts';
import { evaluationMetrics } from '../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { FlagSource } from '../../src/worker/evaluation/flag-source.ts';
import { creationOf, organisationOf, projectOf, tokenOf } from '../storage/support/records.ts';
import { newStore } from '../storage/support/sample-store.ts';
import { plainSettings } from './run-operation.ts';

const head = {
  api: 'management',
  operation: 'patch-flag',
  params: {},
  query: '',
  address: '192.0.2.1',
  requestId: 'request',
  userAgent: '',
  header: null,
  body: null,
} as const;
const { 'patch-flag': patchFlag, 'list-flags': listFlags } = managementOperations;

/** A store with a project, and the reads of a worker. The version is the test's: it stands still within a commit. */
function stage(test: Test) {
  const { store, reader } = newStore(test);
  const organisation = organisationOf();
  const project = projectOf(organisation.id);
  store.write(({ apply }) =>
    apply([creationOf('organisation', organisation), creationOf('project', project)]),
  );
  const memory = createStoreVersionMemory();
  const source = new FlagSource(
    reader,
    memory,
    2 ** 20,
    new EvaluationMeter(createMetricMemory(evaluationMetrics)),
  );
  const settings = { ...plainSettings, acceptedPrefixes: ['burgee'] };
  const reads = new Reads(reader, source, settings, () => undefined);
  const text = newTokenSecret('burgee', crypto.getRandomValues(new Uint8Array(32)));
  const token = tokenOf(project.id, { secretHash: hashSecret(text.slice('burgee_'.length)) });
  const credential = `Bearer ${text}`;
  return {
    version: new StoreVersion(memory),
    create: () => store.write(({ apply }) => apply([creationOf('token', token)])),
    revoke: () => {
      const after = { ...token, revokedAt: Date.now(), revision: token.revision + 1 };
      store.write(({ apply }) => apply([{ kind: 'token', before: token, after }]));
    },
    passes: () => reads.authorize(patchFlag, { ...head, credential }).ok,
    readStatus: () => {
      const { answer, release } = reads.answer(
        listFlags,
        { ...head, operation: 'list-flags', credential },
        null,
      );
      release();
      return answer.status;
    },
  };
}

t.test('nobody is refused by an older state, while a commit is on its way', async (t) => {
  const { version, create, passes } = stage(t);
  t.notOk(passes(), 'there is no such token');
  version.begin();
  t.notOk(passes());
  create();
  t.ok(passes(), 'another reader may have seen the token');
  version.end();
  t.ok(passes());
});

t.test(
  'who was revoked passes by their head until the commit has ended at most, and is answered nothing',
  async (t) => {
    const { version, create, revoke, passes, readStatus } = stage(t);
    version.begin();
    create();
    version.end();
    t.ok(passes());
    version.begin();
    revoke();
    passes();
    t.equal(readStatus(), 401, 'the answer checks again');
    version.end();
    t.notOk(passes(), 'what was remembered of the token is forgotten');
  },
);

t.test('a parameter of the query is given once', async (t) => {
  const call = { ...head, api: 'console', credential: null, query: 'actor=a&actor=b' } as const;
  t.match(readInput(listAudit, call), { ok: false, problem: { detail: /"actor" is given more than once/ } });
});
