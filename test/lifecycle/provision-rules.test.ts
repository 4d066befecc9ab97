import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type CommandResult, runBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject } from './lifecycle-fixture.ts';

/* Rules about tokens, tested through the command line. */
t.setTimeout(120_000);
const dayMs = 24 * 60 * 60 * 1000;

t.test('at most 50 active tokens per project', async (t) => {
  const tokens = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `token ${index}`, permission: 'read' }));
  t.equal((await apply(t, oneProject('fits', { tokens: tokens(50) }))).code, 0);
  const refused = await apply(t, oneProject('full', { tokens: tokens(51) }));
  t.equal(refused.code, 1);
  t.match(refused.stderr, /50/);
});

t.test('an expired token still occupies one of the 50 slots', async (t) => {
  const tokens = Array.from({ length: 51 }, (_, index) => ({
    name: `token ${index}`,
    permission: 'read',
    expiresAt: index === 0 ? Date.now() - dayMs : 0,
  }));
  t.equal((await apply(t, oneProject('full', { tokens }))).code, 1);
});

t.test('a set expiry is at most 365 days after creation', async (t) => {
  const expiring = (days: number): object =>
    oneProject('dated', {
      tokens: [{ name: 'ci', permission: 'read', expiresAt: Date.now() + days * dayMs }],
    });
  t.equal((await apply(t, expiring(364))).code, 0);
  const refused = await apply(t, expiring(366));
  t.equal(refused.code, 1);
  t.match(refused.stderr, /365/);
});

t.test('a personal project cannot have tokens', async (t) => {
  const owner = 'owner@example.test';
  const document = {
    organisations: [
      { name: 'Home', plan: 'enterprise', members: [{ name: 'Owner', email: owner, role: 'owner' }] },
    ],
    personalProjects: [{ name: 'diary', owner, tokens: [{ name: 'ci', permission: 'read' }] }],
  };
  const refused = await apply(t, document);
  t.equal(refused.code, 1);
  t.match(refused.stderr, /tokens/);
});

t.test('standard output has only the printed document', async (t) => {
  const { code, stdout } = await apply(
    t,
    oneProject('quiet', { tokens: [{ name: 'ci', permission: 'read' }] }),
  );
  t.equal(code, 0);
  t.match(JSON.parse(stdout), { projects: { quiet: { id: /^[0-9A-Za-z]{20}$/, tokens: { ci: {} } } } });
});

async function apply(t: Test, document: object): Promise<CommandResult> {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'document.json');
  writeFileSync(file, JSON.stringify(document));
  return runBurgee(['apply', file, '--data-dir', join(directory, 'data')]);
}
