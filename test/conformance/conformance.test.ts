import t, { type Test } from 'tap';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Provisioned, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type CaseEnvironment, runCase } from './case-runner.ts';
import { cases } from './cases.ts';
import type { Given, Json } from './conformance-case.ts';
import { atThisTime, fixtureValues, readFixture, readGivens, readVectors } from './fixture.ts';

/*
 * Every case over HTTP, against one booted service for each `given`. Each case has addresses of its
 * own in 127.0.0.0/8, so that the per-address limits of one case do not reach the next.
 */
const vectorKeys = [...new Set(readVectors().map(({ key }) => key))];
const casePattern = process.env['BURGEE_TEST_CASES'];
let addressesGiven = 0;
t.setTimeout(240_000);

for (const [name, given] of readGivens()) {
  const chosen = cases.filter((one) => one.given === name && (!casePattern || one.id.match(casePattern)));
  if (chosen.length === 0) continue;
  t.test(`${name}: ${given.about}`, async (t) => {
    const { environment, docsLinks, server } = await prepare(t, given);
    for (const one of chosen) {
      await t.test(`${one.id}: ${one.sentence}`, async (t) => {
        t.equal(await runCase(one, environment), null, one.source);
      });
    }
    await checkDocsLinks(t, given, docsLinks, server);
    await server.stop();
  });
}

t.comment(`${cases.length} conformance cases`);

interface Prepared {
  readonly environment: CaseEnvironment;
  readonly docsLinks: ReadonlySet<string>;
  readonly server: BootedServer;
}

async function prepare(t: Test, given: Given): Promise<Prepared> {
  const dataDir = temporaryDirectory(t);
  const document = atThisTime(readFixture(given.fixture), Date.now());
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const server = await bootServer(t, { dataDir, settings: given.settings });
  const docsUrl = given.settings['BURGEE_DOCS_URL'] ?? `http://127.0.0.1:${server.port}/docs`;
  const docsLinks = new Set<string>();
  const values = new Map<string, Json>([
    ...fixtureValues(provisioned),
    ['docsUrl', docsUrl],
    ['foreignToken', await foreignToken(t)],
    ['inAnHour', new Date(Date.now() + 3_600_000).toISOString()],
    ['anHourAgo', new Date(Date.now() - 3_600_000).toISOString()],
  ]);
  const environment: CaseEnvironment = {
    dataDir,
    docsUrl,
    placeholders: values,
    vectorKeys,
    freshClient: () => freshClient(t, server.port),
    holdOpen: async (text) => {
      const connection = await openRawConnection(t, server.port, nextAddress());
      connection.write(text);
      // Each worker is one thread: after this many turns of its event loop it has read all that was written before.
      for (let turn = 0; turn < 50; turn += 1) await freshClient(t, server.port).send({ path: '/health' });
      return () => connection.destroy();
    },
    sawDocsLink: (link) => docsLinks.add(link),
  };
  return { environment, docsLinks, server };
}

function freshClient(t: Test, port: number): HttpClient {
  return createHttpClient(t, { port, localAddress: nextAddress() });
}

function nextAddress(): string {
  addressesGiven += 1;
  return `127.${1 + (addressesGiven >> 14)}.${(addressesGiven >> 7) & 127}.${1 + (addressesGiven & 127)}`;
}

/** A well-formed secret that this store does not know: another store made it. */
async function foreignToken(t: Test): Promise<string> {
  const document = {
    organisations: [
      {
        name: 'Elsewhere',
        plan: 'enterprise',
        projects: [{ name: 'elsewhere', tokens: [{ name: 'stranger', permission: 'write' }] }],
      },
    ],
  };
  const provisioned: Provisioned = await provision(temporaryDirectory(t), temporaryDirectory(t), document);
  return tokenOf(projectOf(provisioned, 'elsewhere'), 'stranger').secret;
}

/** Each `docs` link in an answer must lead to a section of the page that the service serves. */
async function checkDocsLinks(
  t: Test,
  given: Given,
  links: ReadonlySet<string>,
  server: BootedServer,
): Promise<void> {
  if (given.settings['BURGEE_DOCS_URL'] !== undefined) return;
  const client = freshClient(t, server.port);
  for (const link of links) {
    const { pathname, hash } = new URL(link);
    const page = await client.send({ path: pathname });
    t.ok(page.text.includes(`id="${hash.slice(1)}"`), `the documentation has ${link}`);
  }
}
