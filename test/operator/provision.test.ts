import t from 'tap';
import { changesFromText } from '../../src/domain/audit/recorded-changes.ts';
import { readTokenSecret } from '../../src/domain/token/token-secret.ts';
import { hashSecret } from '../../src/support/hash-secret.ts';
import { acme, exampleDocument, openOperator, projectOf } from './open-operator.ts';

t.test('a file is provisioned as declared', async (t) => {
  const { apply, reader } = openOperator(t);
  const shop = projectOf(await apply(exampleDocument), 'shop');
  const { queries } = reader();
  const [organisation] = [...queries.organisations()];
  t.match(organisation, { name: 'Acme', plan: 'enterprise', trialEndsAt: null, subscription: 'active' });
  const project = queries.project(shop.id);
  t.match(project, { name: 'shop', isMultiEnvironment: true, evaluationAccess: true });
  t.strictSame(
    project?.environments.map(({ name }) => name),
    ['production', 'staging'],
  );
  const flag = queries.flag(shop.flags['checkout'] ?? '');
  t.match(flag, { name: 'checkout', cohorts: ['flag-wide'], revision: 1 });
  const staging = project?.environments[1]?.number ?? -1;
  t.strictSame(
    [...(flag?.states ?? [])],
    [
      [
        staging,
        {
          enabled: true,
          trafficPercentage: 50,
          cohortOverride: ['own'],
          audienceId: shop.audiences['Pro'],
        },
      ],
    ],
  );
  const [member] = [...queries.members()];
  t.match(member, { email: 'owner@example.test', role: 'owner', passwordHash: /^\$argon2id\$/ });
});

t.test("a new token's secret finds it, and is not stored", async (t) => {
  const { apply, reader } = openOperator(t);
  const { tokens } = projectOf(await apply(exampleDocument), 'shop');
  const secret = readTokenSecret(tokens['ci']?.secret ?? '', ['burgee']) ?? '';
  const token = reader().queries.tokenBySecretHash(hashSecret(secret));
  t.match(token, { id: tokens['ci']?.id, permission: 'write', environments: ['staging'], createdBy: null });
});

t.test('applied again, a file changes nothing and shows no secret', async (t) => {
  const { apply, store, reader } = openOperator(t);
  const first = await apply(exampleDocument);
  const sequence = store.sequence();
  const before = auditCount();
  const again = await apply(exampleDocument);
  t.match(again, { ok: true, counts: { created: 0, changed: 0 } });
  t.equal(store.sequence(), sequence);
  t.equal(auditCount(), before, 'no audit entry');
  const shop = projectOf(again, 'shop');
  t.equal(shop.tokens['ci']?.secret, null);
  t.strictSame(shop.flags, projectOf(first, 'shop').flags, 'the ids are those of the first time');

  function auditCount(): number {
    const now = reader();
    return [...now.queries.organisations()].flatMap(({ id }) => [...now.auditEntries(id)]).length;
  }
});

t.test('differences are applied, and omitted fields stay', async (t) => {
  const { apply, reader } = openOperator(t);
  const shop = projectOf(await apply(exampleDocument), 'shop');
  const before = reader().queries.flag(shop.flags['checkout'] ?? '');
  const flags = [{ name: 'checkout', environments: { production: { enabled: true } } }];
  const outcome = await apply(acme({ name: 'shop', flags }));
  t.match(outcome, { ok: true, counts: { created: 0, changed: 1 } });
  const { queries } = reader();
  const after = queries.flag(shop.flags['checkout'] ?? '');
  t.equal(after?.revision, 2);
  t.ok((after?.updatedAt ?? 0) > (before?.updatedAt ?? 0), 'updatedAt strictly increases');
  t.equal(after?.states.size, 2);
  t.strictSame(after?.cohorts, ['flag-wide']);
  t.equal([...queries.tokensOf(shop.id)].length, 1);
  t.equal([...queries.audiencesOf(shop.id)].length, 1);
});

t.test('each changed environment has its own audit entry, by the operator', async (t) => {
  const { apply, reader } = openOperator(t);
  const shop = projectOf(await apply(exampleDocument), 'shop');
  const environments = { production: { enabled: true }, staging: { trafficPercentage: 60 } };
  const flags = [{ name: 'checkout', description: 'new', environments }];
  await apply(acme({ name: 'shop', flags }));
  const [organisation] = [...reader().queries.organisations()];
  const entries = [...reader().auditEntries(organisation?.id ?? '')].map(({ entry }) => entry);
  const patches = entries.filter(({ action }) => action === 'flag.patch');
  t.strictSame(
    patches.map(({ environment, changes }) => [environment, changes]),
    [
      [null, [{ field: 'description', before: '', after: 'new' }]],
      ['staging', [{ field: 'trafficPercentage', before: 50, after: 60 }]],
      ['production', [{ field: 'enabled', before: false, after: true }]],
    ],
  );
  t.ok(entries.every(({ actor, requestId }) => actor.kind === 'operator' && requestId === null));
  t.ok(patches.every(({ targetId }) => targetId === shop.flags['checkout']));
});

t.test('an own list equal to the flag-wide one is stored; an empty one inherits', async (t) => {
  const { apply, reader } = openOperator(t);
  const flag = (cohorts: string[]) =>
    acme({
      name: 'shop',
      environments: ['e'],
      flags: [{ name: 'f', cohorts: ['a'], environments: { e: { cohorts } } }],
    });
  const shop = projectOf(await apply(flag(['a'])), 'shop');
  const overrideNow = () =>
    [
      ...(reader()
        .queries.flag(shop.flags['f'] ?? '')
        ?.states.values() ?? []),
    ][0]?.cohortOverride;
  t.strictSame(overrideNow(), ['a']);
  await apply(flag([]));
  t.equal(overrideNow(), null);
});

t.test("a single-environment flag's cohorts are its own list", async (t) => {
  const { apply, reader } = openOperator(t);
  const flags = [{ name: 'f', enabled: true, cohorts: ['a'] }];
  const site = projectOf(await apply(acme({ name: 'site', flags })), 'site');
  const flag = reader().queries.flag(site.flags['f'] ?? '');
  t.strictSame(flag?.cohorts, []);
  t.match([...(flag?.states ?? [])], [[0, { enabled: true, cohortOverride: ['a'] }]]);
});

t.test('new environments are added to the old ones, and tokens that list them are reported', async (t) => {
  const { apply, reader } = openOperator(t);
  const tokens = [{ name: 'ci', permission: 'read', environments: ['soon'] }];
  const first = await apply(acme({ name: 'shop', environments: ['a'], tokens }));
  t.match(first, { ok: true, warnings: [/lists soon, which project "shop" does not have/] });
  const second = await apply(acme({ name: 'shop', environments: ['soon'] }));
  t.match(second, { ok: true, warnings: [/token "ci" already lists soon/] });
  const project = reader().queries.project(projectOf(second, 'shop').id);
  t.strictSame(
    project?.environments.map(({ name }) => name),
    ['a', 'soon'],
  );
  t.equal(project?.environmentsRevision, 2);
});

t.test('environments are protected as listed, and stay as they are without a list', async (t) => {
  const { apply, reader } = openOperator(t);
  const shop = (fields: object) => acme({ name: 'shop', ...fields });
  const environments = ['production', 'staging'];
  const first = await apply(shop({ environments, protectedEnvironments: ['production'] }));
  const { id } = projectOf(first, 'shop');
  const marks = () =>
    Object.fromEntries(
      (reader().queries.project(id)?.environments ?? []).map(({ name, isProtected }) => [name, isProtected]),
    );
  t.strictSame(marks(), { production: true, staging: false });
  t.match(await apply(shop({ environments })), { ok: true, counts: { created: 0, changed: 0 } });
  t.strictSame(marks(), { production: true, staging: false });

  const protectedEnvironments = ['staging', 'dev'];
  const moved = shop({ environments: ['dev'], protectedEnvironments });
  t.match(await apply(moved), { ok: true, counts: { created: 0, changed: 1 } });
  t.strictSame(marks(), { production: false, staging: true, dev: true });
  t.equal(reader().queries.project(id)?.environmentsRevision, 2);
  t.match(await apply(moved), { ok: true, counts: { created: 0, changed: 0 } });
  const entries = [...reader().queries.auditOf(reader().queries.project(id)?.organisationId ?? '')]
    .map(({ entry, changesJson }) => [entry.action, entry.environment, changesFromText(changesJson)])
    .slice(0, 3);
  t.strictSame(entries.toReversed(), [
    ['environment.edit', 'production', [{ field: 'isProtected', before: true, after: false }]],
    ['environment.edit', 'staging', [{ field: 'isProtected', before: false, after: true }]],
    [
      'environment.create',
      'dev',
      [
        { field: 'name', before: null, after: 'dev' },
        { field: 'isProtected', before: null, after: true },
      ],
    ],
  ]);

  const unknown = await apply(shop({ protectedEnvironments: ['prod'] }));
  t.match(unknown, {
    ok: false,
    problems: [/protectedEnvironments lists prod, which project "shop" does not/],
  });
  const single = await apply(acme({ name: 'one', protectedEnvironments: ['production'] }));
  t.match(single, { ok: false, problems: [/protectedEnvironments lists production/] });
  const site = projectOf(await apply(acme({ name: 'site', isProtected: true })), 'site');
  const isGuarded = () => reader().queries.project(site.id)?.isProtected;
  t.equal(isGuarded(), true);
  t.match(await apply(acme({ name: 'site' })), { counts: { changed: 0 } });
  t.match(await apply(acme({ name: 'site', isProtected: false })), { counts: { changed: 1 } });
  t.equal(isGuarded(), false);
  t.match(await apply(shop({ isProtected: true })), { ok: false, problems: [/one by one/] });
});

t.test('a revoked token frees its name: applied again, there is a new one with a secret', async (t) => {
  const { apply, operator } = openOperator(t);
  const first = projectOf(await apply(exampleDocument), 'shop').tokens['ci'];
  const revoked = await operator('revoke-token', { tokenId: first?.id ?? '' });
  t.match(revoked, { ok: true, value: { changed: true } });
  const second = projectOf(await apply(exampleDocument), 'shop').tokens['ci'];
  t.not(second?.id, first?.id);
  t.match(second?.secret, /^burgee_[0-9A-Za-z]{49}$/);
});

t.test('an equal password stays, and another one replaces it', async (t) => {
  const { apply, reader } = openOperator(t);
  const member = (password: string) => ({
    organisations: [
      {
        name: 'Acme',
        plan: 'free',
        members: [{ name: 'A', email: 'A@example.test', role: 'viewer', password }],
      },
    ],
  });
  const hashNow = () => [...reader().queries.members()][0]?.passwordHash;
  await apply(member('correct horse battery'));
  const hash = hashNow();
  t.match(await apply(member('correct horse battery')), { ok: true, counts: { changed: 0 } });
  t.equal(hashNow(), hash);
  t.match(await apply(member('another horse battery')), { ok: true, counts: { changed: 1 } });
  t.not(hashNow(), hash);
  const [organisation] = [...reader().queries.organisations()];
  const audit = JSON.stringify([...reader().auditEntries(organisation?.id ?? '')].map(({ entry }) => entry));
  t.notMatch(audit, /argon2|horse/, 'the audit log has neither password nor hash');
});

t.test('a personal project belongs to the member with its email, who is created if missing', async (t) => {
  const { apply, reader } = openOperator(t);
  const document = {
    personalProjects: [{ name: 'mine', owner: 'Ann@example.test', flags: [{ name: 'f' }] }],
  };
  const { id } = projectOf(await apply(document), 'mine');
  t.match(await apply(document), { ok: true, counts: { created: 0, changed: 0 } });
  const { queries } = reader();
  const [member] = [...queries.members()];
  t.match(member, { email: 'Ann@example.test', organisationId: null });
  t.match(queries.project(id), { organisationId: null, ownerMemberId: member?.id });
});

t.test('names are trimmed, and __proto__ and constructor are names like any other', async (t) => {
  const { apply, reader } = openOperator(t);
  const environments = '{"__proto__": {"enabled": true}, "constructor": {"trafficPercentage": 7}}';
  const text = `{"organisations":[{"name":" Acme ","plan":"free","projects":[
    {"name":"__proto__","environments":["__proto__","constructor"],
     "flags":[{"name":" __proto__ ","environments":${environments}}]}]}]}`;
  const outcome = await apply(text);
  t.ok(outcome.ok, outcome.ok ? '' : outcome.problems.join());
  const project = projectOf(outcome, '__proto__');
  const flagId = Object.getOwnPropertyDescriptor(project.flags, '__proto__')?.value;
  const flag = reader().queries.flag(flagId);
  t.match(flag, { projectId: project.id, name: '__proto__' });
  t.match([...(flag?.states.values() ?? [])], [{ enabled: true }, { trafficPercentage: 7 }]);
});

t.test('a plan is set by name or id; repeating it has no effect; an unknown name is refused', async (t) => {
  const { apply, operator, reader } = openOperator(t);
  await apply(exampleDocument);
  const fields = { plan: 'free', trialEndsAt: 1_900_000_000_000, subscription: 'lapsed' } as const;
  t.match(await operator('set-plan', { organisation: 'Acme', fields }), {
    ok: true,
    value: { changed: true },
  });
  const [organisation] = [...reader().queries.organisations()];
  t.match(organisation, fields);
  const again = await operator('set-plan', { organisation: organisation?.id ?? '', fields });
  t.match(again, { ok: true, value: { changed: false } });
  t.match(await operator('set-plan', { organisation: 'Nobody', fields }), {
    ok: false,
    problem: { code: 'not-found' },
  });
});

t.test('a new project, and its flags, get the ids and the slug that the file gives', async (t) => {
  const { apply, reader } = openOperator(t);
  const [projectId, flagId, mineId] = ['p', 'f', 'm'].map((letter) => letter.repeat(20));
  const flags = [{ name: 'checkout', id: flagId, enabled: true }];
  const shop = { name: 'shop', id: projectId, slug: 'shop', isSlugPublic: true, flags };
  const mine = { name: 'mine', owner: 'ada@example.test', id: mineId };
  const document = { ...acme(shop), personalProjects: [mine] };
  const made = projectOf(await apply(document), 'shop');
  t.match(made, { id: projectId, flags: { checkout: flagId } });
  t.match(reader().queries.project(projectId ?? ''), { slugs: ['shop'], isSlugPublic: true });
  t.match(reader().queries.project(mineId ?? ''), { organisationId: null });
  t.match(await apply(document), { ok: true, counts: { created: 0, changed: 0 } });
  const renamed = await apply(acme({ ...shop, slug: 'store' }));
  t.match(renamed, { ok: true, counts: { changed: 1 } });
  t.match(reader().queries.project(projectId ?? ''), { slugs: ['store', 'shop'] });
});
