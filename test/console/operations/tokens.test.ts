import t from 'tap';
import { activeTokensMax, revokedTokensKeptMax } from '../../../src/domain/bounds.ts';
import type { Token } from '../../../src/domain/token/token.ts';
import { newId } from '../../../src/support/random-id.ts';
import {
  creationOf,
  denialOf,
  flagChangeOf,
  flagOf,
  memberOf,
  projectOf,
  tokenOf,
  tokenUseOf,
} from '../../storage/support/records.ts';
import { roles } from '../console-fixture.ts';
import { fieldsOf, OperationStage } from './operation-stage.ts';

t.setTimeout(120_000);

const dayMs = 24 * 60 * 60 * 1000;
const stage = new OperationStage(t);
const { organisation } = stage.prepared;
const ids = new Map(roles.map((role) => [role, stage.member(role, { name: `The ${role}` })] as const));
const free = stage.prepared.addOrganisation('Free', { plan: 'teams', subscription: 'lapsed' });
const freeId = stage.member('owner', { organisationId: free.id });

let projects = 0;
function project(change: object = {}, organisationId = organisation.id) {
  projects += 1;
  const made = projectOf(organisationId, { name: `project ${projects}`, ...change });
  stage.add([creationOf('project', made)]);
  const tokens = (...changes: readonly Partial<Token>[]) =>
    changes.map((change) => {
      const token = tokenOf(made.id, change);
      stage.add([creationOf('token', token)]);
      return token;
    });
  return { id: made.id, path: `/projects/${made.id}/tokens`, tokens };
}

const environments = [{ number: 1, name: 'production', isProtected: false }];
const multi = project({ isMultiEnvironment: true, environments, nextEnvironmentNumber: 2 });
const single = project();

const full = project();
const now = Date.now();
const [expired] = full.tokens({ expiresAt: now - 1000 }, { revokedAt: 1 });
full.tokens(...Array.from({ length: activeTokensMax - 2 }, () => ({})));

const statuses = project();
const states = [
  { change: { expiresAt: now + dayMs }, rotate: 201 },
  { change: { expiresAt: now - 1000 }, rotate: 409 },
  { change: { revokedAt: 5 }, rotate: 409 },
].map(({ change, rotate }) => ({ rotate, tokens: statuses.tokens(change, change) }));

const made = new Map(
  roles.map((creator) => {
    const { path, tokens } = project();
    const createdBy = ids.get(creator) ?? null;
    return [creator, { path, tokens: roles.map(() => tokens({ createdBy }, { createdBy })) }] as const;
  }),
);
const ofOperator = project();
const [left = tokenOf(''), taken = tokenOf('')] = ofOperator.tokens({}, {});

const poor = project({}, free.id);
const [kept = tokenOf('')] = poor.tokens({});

const active = project();
const gone = memberOf();
const [b = tokenOf('')] = active.tokens(
  { name: 'b', createdBy: gone.id },
  { name: 'a', createdAt: 2 },
  { name: 'a' },
  ...Array.from({ length: revokedTokensKeptMax + 2 }, (_, at) => ({ name: 'gone', revokedAt: at + 1 })),
);
const [own, foreign] = [flagOf(active.id, { name: 'gift-cards' }), flagOf(single.id, { name: 'secret' })];
const unknown = newId();
stage.add([flagChangeOf(null, own), flagChangeOf(null, foreign)]);
stage.add([
  { kind: 'token-use', use: tokenUseOf(b.id, { at: 10 }) },
  { kind: 'token-use', use: tokenUseOf(b.id, { at: 30, count: 7, environment: 'production' }) },
  ...[own.id, foreign.id, unknown, undefined].map((flagId, at) => {
    return {
      kind: 'activity',
      denial: denialOf(b.id, { at: at + 1, ...(flagId ? { flagId } : {}) }),
    } as const;
  }),
]);

await stage.start();
const as = (role: (typeof roles)[number]) => stage.as(ids.get(role) ?? '');
const [owner, editor, viewer] = [as('owner'), as('editor'), as('viewer')];
const audited = () => stage.audited(owner);
const wish = { name: 'ci', permission: 'write', environments: null, expiryDays: 0 };

t.test('a token is made as requested; its secret is shown once, and works', async (t) => {
  const asked = { name: '  deploy ', permission: 'read', environments: ['production'], expiryDays: 30 };
  const { token, secret } = await editor(201, `POST ${multi.path}`, asked);
  t.match(token, {
    ...{ name: 'deploy', permission: 'read', environments: ['production'], status: 'active' },
    ...{ createdById: ids.get('editor'), createdByName: 'The editor', isManageable: true },
    ...{ lastUsedAt: null, lastDeniedAt: null, expiresAt: token.createdAt + 30 * dayMs },
  });
  const [entry] = await audited();
  t.match(entry, { action: 'token.create', targetId: token.id, actor: { name: 'The editor' } });
  t.strictSame(fieldsOf(entry), [
    ['name', null, 'deploy'],
    ['permission', null, 'read'],
    ['environments', null, ['production']],
    ['expiresAt', null, token.expiresAt],
  ]);
  const headers = { authorization: `Bearer ${secret}` };
  const read = () => fetch(`http://127.0.0.1:${stage.server.port}/api/v1/flags?env=production`, { headers });
  t.equal((await read()).status, 200);
  const listed = JSON.stringify([await editor(200, `GET ${multi.path}`), entry]);
  t.notMatch(listed, secret.slice(7));
  for (const expiryDays of [0, 90, 365]) {
    const one = (await editor(201, `POST ${multi.path}`, { ...wish, expiryDays })).token;
    t.equal(one.expiresAt, expiryDays === 0 ? 0 : one.createdAt + expiryDays * dayMs);
  }
  await editor(200, `POST ${multi.path}/${token.id}/revoke`);
  t.equal((await read()).status, 401);
  await audited();
});

t.test('all problems of a token are reported at once', async (t) => {
  const refused = async ({ path }: typeof multi, change: object) =>
    (await owner(400, `POST ${path}`, { ...wish, ...change })).detail;
  t.match(await refused(single, { name: 'a'.repeat(101) }), '1 to 100');
  t.match(await refused(single, { name: 'a\nb' }), 'control characters');
  t.match(await refused(single, { name: 'a\ud800' }), 'Unicode');
  t.match(await refused(single, { environments: ['production'] }), 'must be null');
  t.match(await refused(multi, { environments: [] }), 'at least one');
  t.match(await refused(multi, { environments: ['production', 'production'] }), 'once');
  t.equal(
    await refused(multi, { name: '', environments: ['nowhere'] }),
    'name must be 1 to 100 characters after trimming; environments names "nowhere", which is not an environment of this project: production',
  );
  t.strictSame(await audited(), []);
  await owner(201, `POST ${single.path}`, { ...wish, name: '😀'.repeat(100) });
});

t.test(
  'the 50th token is made and the 51st is not, until one is revoked; an expired one counts',
  async (t) => {
    const { token } = await owner(201, `POST ${full.path}`, wish);
    t.match(await owner(400, `POST ${full.path}`, wish), { detail: /has 50 tokens, and at most 50 are/ });
    await owner(201, `POST ${full.path}/${token.id}/rotate`);
    await owner(400, `POST ${full.path}`, wish);
    await owner(200, `POST ${full.path}/${expired?.id}/revoke`);
    await owner(201, `POST ${full.path}`, wish);
    await owner(400, `POST ${full.path}`, wish);
  },
);

t.test('a token in every status, revoked and rotated', async (t) => {
  await audited();
  for (const { rotate, tokens } of states) {
    const [first, second] = tokens;
    const answer = await owner(rotate, `POST ${statuses.path}/${first?.id}/rotate`);
    if (rotate === 409) t.match(answer, { current: { id: first?.id } });
    const revoked = await owner(200, `POST ${statuses.path}/${second?.id}/revoke`);
    t.equal(revoked.status, 'revoked');
    const again = await owner(200, `POST ${statuses.path}/${second?.id}/revoke`);
    t.equal(again.revokedAt, revoked.revokedAt, 'the first revocation is kept');
    if (second?.revokedAt) t.equal(revoked.revokedAt, 5);
  }
  const actions = (await audited()).map(({ action }) => action);
  t.strictSame(actions, ['token.rotate', 'token.create', 'token.revoke', 'token.revoke']);
});

t.test('a rotation keeps what the token may, and revokes the original', async (t) => {
  const asked = { ...wish, environments: ['production'], expiryDays: 90 };
  const original = await editor(201, `POST ${multi.path}`, asked);
  await audited();
  const { token, secret } = await as('admin')(201, `POST ${multi.path}/${original.token.id}/rotate`);
  const { id, expiresAt } = token;
  t.match(token, {
    name: 'ci',
    permission: 'write',
    environments: ['production'],
    createdById: ids.get('admin'),
  });
  t.equal(expiresAt, original.token.expiresAt);
  t.not(secret, original.secret);
  const [rotated, created] = await audited();
  t.match(rotated, { action: 'token.rotate', targetId: original.token.id });
  t.match(fieldsOf(rotated), [['revokedAt'], ['replacedBy', null, id]]);
  t.match(created, { action: 'token.create', targetId: id, targetName: 'ci' });
  t.strictSame(fieldsOf(created).at(-1), ['replaces', null, original.token.id]);
  const listed = (await viewer(200, `GET ${multi.path}`)).tokens;
  t.match(
    listed.find((one: { id: string }) => one.id === original.token.id),
    { status: 'revoked', isManageable: false },
  );
});

t.test('the creator, Admins and Owners may revoke and rotate', async (t) => {
  for (const [creator, { path, tokens }] of made) {
    for (const [index, role] of roles.entries()) {
      const may = role === creator || role === 'admin' || role === 'owner';
      const [first, second] = tokens[index] ?? [];
      const { tokens: listed } = await as(role)(200, `GET ${path}`);
      const shown = listed.find(({ id }: { id: string }) => id === first?.id);
      t.equal(shown.isManageable, may, `${role} of ${creator}'s`);
      await as(role)(may ? 201 : 403, `POST ${path}/${first?.id}/rotate`);
      await as(role)(may ? 200 : 403, `POST ${path}/${second?.id}/revoke`);
    }
  }
  await editor(403, `POST ${ofOperator.path}/${left.id}/revoke`);
  await as('admin')(200, `POST ${ofOperator.path}/${taken.id}/revoke`);
});

t.test('without a plan, and in a personal project, there are no changes', async (t) => {
  const asked = stage.as(freeId);
  t.match(await asked(200, `GET ${poor.path}`), { tokens: [{ isManageable: false }] });
  await asked(200, `GET ${poor.path}/${kept.id}`);
  await asked(402, `POST ${poor.path}`, wish);
  await asked(402, `POST ${poor.path}/${kept.id}/rotate`);
  await asked(402, `POST ${poor.path}/${kept.id}/revoke`);
  const diary = { name: 'diary', isMultiEnvironment: false, isPersonal: true };
  const { id } = await owner(201, 'POST /projects', diary);
  t.match(await owner(200, `GET /projects/${id}/tokens`), { tokens: { length: 0 } });
  await owner(403, `POST /projects/${id}/tokens`, wish);
});

t.test('tokens are listed by name, then the newest revoked ones, with last use and denial', async (t) => {
  const { tokens } = await viewer(200, `GET ${active.path}`);
  t.strictSame(
    tokens.slice(0, 4).map(({ name, createdAt, revokedAt }: Token) => [name, createdAt, revokedAt]),
    [
      ['a', 1, null],
      ['a', 2, null],
      ['b', 1, null],
      ['gone', 1, revokedTokensKeptMax + 2],
    ],
  );
  t.equal(tokens.length, 3 + revokedTokensKeptMax);
  t.match(tokens[2], { lastUsedAt: 30, lastDeniedAt: 4, createdById: gone.id, createdByName: null });
  const { uses, denials } = await viewer(200, `GET ${active.path}/${b.id}`);
  t.match(uses, [
    { at: 30, count: 7, environment: 'production' },
    { at: 10, count: 1, environment: null },
  ]);
  const flags = denials.map(({ flag }: { flag: unknown }) => flag);
  t.strictSame(
    flags,
    [null, { id: unknown, name: null }, { id: foreign.id, name: null }, { id: own.id, name: 'gift-cards' }],
    'a denial names a flag of this project alone',
  );
  const oldest = tokens.at(-1).id;
  await viewer(200, `GET ${active.path}/${oldest}`);
  await owner(201, `POST ${active.path}/${b.id}/rotate`);
  await owner(201, `POST ${active.path}`, wish);
  await owner(404, `GET ${active.path}/${oldest}`);
});

t.test('the store is sound', () => stage.stop());
