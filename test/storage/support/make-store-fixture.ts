import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOperator } from '../../../src/operator/operator.ts';
import { copyStore } from '../../../src/storage/backup/copy-store.ts';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { openStore } from '../../../src/storage/store.ts';
import { readMarker, writeMarker } from '../../../src/storage/store-identity.ts';
import { localCommits } from '../../../src/writer/thread/commits.ts';
import { FreeSpace } from '../../../src/writer/thread/free-space.ts';
import { localWriter, OperatorCommands } from '../../../src/writer/thread/operator-commands.ts';
import { everyRecordOf } from './every-record.ts';
import {
  creationOf,
  denialOf,
  evaluationCountOf,
  identityOf,
  keptAnswerOf,
  linkOf,
  outboxDeliveryOf,
  sessionOf,
  tokenUseOf,
} from './records.ts';
import { mapBytes } from './sample-store.ts';

/*
 * Makes a fixture of the present store format in the directory given as the argument: a record of every kind, and what
 * the fixture's test expects. Made once for each format, and once for each kind of record added to a format:
 *
 *   node dist/test/storage/support/make-store-fixture.js test/fixtures/store-format-N
 */
const document = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      trialEndsAt: 1_800_000_000_000,
      members: [
        { name: 'Owner', email: 'owner@example.test', role: 'owner', password: 'a password of a fixture' },
        { name: 'Viewer', email: 'viewer@example.test', role: 'viewer' },
      ],
      projects: [
        {
          name: 'shop',
          environments: ['production', 'staging'],
          protectedEnvironments: ['production'],
          audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }],
          flags: [
            {
              name: 'checkout',
              description: 'The new checkout',
              tags: ['shop'],
              cohorts: ['flag-wide'],
              environments: {
                production: { enabled: true, trafficPercentage: 30 },
                staging: { enabled: true, trafficPercentage: 100, cohorts: ['own'], audience: 'Pro' },
              },
            },
          ],
          tokens: [
            { name: 'ci', permission: 'write' },
            { name: 'limited', permission: 'read', environments: ['staging'], expiresAt: 0 },
          ],
        },
      ],
    },
  ],
  personalProjects: [
    {
      name: 'hobby',
      owner: 'alone@example.test',
      flags: [{ name: 'on', enabled: true, trafficPercentage: 100 }],
    },
  ],
};

const target = process.argv[2] ?? '';
const directory = mkdtempSync(join(tmpdir(), 'burgee-fixture-'));
const store = openStore({ directory, mapBytes });
const freeSpace = new FreeSpace(directory, 0);
const commands = new OperatorCommands({
  commits: localCommits(store),
  freeSpace,
  baseUrl: 'http://127.0.0.1',
});
const operator = createOperator({ callWriter: localWriter(commands), tokenPrefix: 'burgee' });
const file = Buffer.from(JSON.stringify(document));
const outcome = await operator('apply', file);
if (!outcome.ok) throw new Error(outcome.problems.join('\n'));
const { projects } = JSON.parse(new TextDecoder().decode(outcome.document));
const { id: tokenId, secret } = projects.shop.tokens.ci;
const checkout = projects.shop.flags.checkout;
store.write(({ queries, apply }) => {
  const token = queries.token(tokenId);
  const [organisation] = queries.organisations();
  if (token === undefined || organisation === undefined) throw new Error('nothing was provisioned');
  const [owner] = queries.membersByEmail('owner@example.test');
  if (owner === undefined) throw new Error('there is no member');
  const signIn = { kind: 'sign-in', memberId: owner.id } as const;
  apply([
    { kind: 'activity', denial: denialOf(tokenId, { environment: 'staging' }) },
    { kind: 'token-use', use: tokenUseOf(tokenId, { environment: 'staging', count: 7 }) },
    { kind: 'outbox', entry: { kind: 'denial-email', denial: denialOf(tokenId) } },
    { kind: 'outbox-delivery', sequence: 1, delivery: outboxDeliveryOf({ settledMemberIds: [owner.id] }) },
    { kind: 'evaluation-count', count: evaluationCountOf(checkout) },
    { kind: 'kept-answer', before: null, after: keptAnswerOf(token) },
    creationOf('session', sessionOf(owner.id)),
    creationOf('one-time-link', linkOf(organisation.id)),
    creationOf('one-time-link', linkOf(organisation.id, { purpose: { kind: 'first-owner' } })),
    creationOf('one-time-link', linkOf(organisation.id, { purpose: signIn, createdBy: owner.id })),
    creationOf('identity', identityOf(owner.id)),
  ]);
});
await store.close();

await copyStore(directory, dataFileOf(target), () => undefined);
const identity = readMarker(directory);
if (identity === null) throw new Error('the store has no marker');
writeMarker(target, identity);
rmSync(`${dataFileOf(target)}-lock`, { force: true });
rmSync(directory, { recursive: true });

const evaluations = [
  { path: `/v1/flags/${projects.hobby.flags.on}`, enabled: true },
  { path: `/v1/flags/${checkout}?env=staging&cohort=own`, enabled: true },
  { path: `/v1/flags/${checkout}?env=staging&targetingKey=a&plan=pro`, enabled: true },
  { path: `/v1/flags/${checkout}?env=staging&targetingKey=a&plan=free`, enabled: false },
  { path: `/v1/flags/${checkout}?env=production&cohort=flag-wide`, enabled: true },
];
const expected = { storeId: identity.id, checkout, secret, evaluations };
writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
const { records } = await everyRecordOf(target);
rmSync(`${dataFileOf(target)}-lock`, { force: true });
writeFileSync(join(target, 'records.json'), `${JSON.stringify(records, null, 2)}\n`);
