import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOperator } from '../../../src/operator/operator.ts';
import { copyStore } from '../../../src/storage/backup/copy-store.ts';
import { dataFileOf } from '../../../src/storage/environment.ts';
import { readMarker, writeMarker } from '../../../src/storage/marker-file.ts';
import { openStore } from '../../../src/storage/store.ts';
import { OperatorCommands } from '../../../src/writer/operator-commands.ts';
import { localOperatorPort } from '../../../src/writer/operator-port-client.ts';
import { denialOf } from './records.ts';
import { mapBytes } from './sample-store.ts';

/*
 * Makes a fixture of the present store format in the directory named as the argument: something of every kind, and what
 * the fixture's test expects of it. Made once for each format, and never again:
 *
 *   node dist/test/storage/support/make-store-fixture.js test/fixtures/store-format-N
 */
const document = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: [{ name: 'Owner', email: 'owner@example.test', role: 'owner' }],
      projects: [
        {
          name: 'shop',
          environments: ['production', 'staging'],
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
          tokens: [{ name: 'ci', permission: 'write' }],
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
const operator = createOperator({
  port: localOperatorPort(new OperatorCommands(store)),
  tokenPrefix: 'burgee',
  baseUrl: 'http://127.0.0.1',
});
const file = Buffer.from(JSON.stringify(document));
const outcome = await operator.apply(file, () => undefined, new AbortController().signal);
if (!outcome.ok) throw new Error(outcome.problems.join('\n'));
const { projects } = JSON.parse(new TextDecoder().decode(outcome.document));
const { id: tokenId, secret } = projects.shop.tokens.ci;
store.write(({ apply }) =>
  apply([
    { kind: 'activity', denial: denialOf(tokenId) },
    { kind: 'outbox', entry: { kind: 'denial-email', denial: denialOf(tokenId) } },
  ]),
);
await store.close();

await copyStore(directory, dataFileOf(target), () => undefined);
const identity = readMarker(directory);
if (identity === null) throw new Error('the store has no marker');
writeMarker(target, identity);
rmSync(`${dataFileOf(target)}-lock`, { force: true });
rmSync(directory, { recursive: true });

const checkout = projects.shop.flags.checkout;
const evaluations = [
  { path: `/v1/flags/${projects.hobby.flags.on}`, enabled: true },
  { path: `/v1/flags/${checkout}?env=staging&cohort=own`, enabled: true },
  { path: `/v1/flags/${checkout}?env=staging&targetingKey=a&plan=pro`, enabled: true },
  { path: `/v1/flags/${checkout}?env=staging&targetingKey=a&plan=free`, enabled: false },
  { path: `/v1/flags/${checkout}?env=production&cohort=flag-wide`, enabled: true },
];
const expected = { storeId: identity.id, checkout, secret, evaluations };
writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
