import t from 'tap';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { createOperator } from '../../src/operator/operator.ts';
import { flagChangeOf, flagOf } from '../storage/support/records.ts';
import { acme, exampleDocument, openOperator, problemsOf, projectOf } from './open-operator.ts';

t.test('all wrong shapes are reported at once with their paths, and nothing is applied', async (t) => {
  const { apply, store } = openOperator(t);
  const outcome = await apply({
    organisatons: [],
    organisations: [
      {
        plan: 'gold',
        trialEndsAt: 'soon',
        members: [{ name: 'A', email: 'nobody', role: 'king', password: 'short' }],
        projects: [
          {
            name: '',
            evaluationAccess: 1,
            environments: ['Not This'],
            audiences: [{ name: 'x', rules: [] }],
            tokens: [{ name: 't', permission: 'admin', expiresAt: -1 }],
          },
        ],
      },
    ],
    personalProjects: [{ name: 'p' }],
  });
  t.strictSame(problemsOf(outcome), [
    'unknown field "organisatons": did you mean organisations?',
    'organisations[0].name is required',
    'organisations[0].plan must be one of "free", "teams", "enterprise"',
    'organisations[0].trialEndsAt must be a time in Unix milliseconds, or null',
    'organisations[0].members[0].email must be an email address',
    'organisations[0].members[0].role must be one of "viewer", "editor", "admin", "owner"',
    'organisations[0].members[0].password must be a string of 12 to 1024 characters',
    'organisations[0].projects[0].name must be a string of 1 to 200 characters without control characters, line separators and characters that turn the direction of text',
    'organisations[0].projects[0].evaluationAccess must be true or false',
    'organisations[0].projects[0].environments[0] must be an environment name: 1 to 64 characters of a-z, 0-9, "-", "_" and ".", and not "." or ".."',
    'organisations[0].projects[0].audiences[0].rules must be an array of 1 to 50 rules',
    'organisations[0].projects[0].tokens[0].permission must be "read" or "write"',
    'organisations[0].projects[0].tokens[0].expiresAt must be a time in Unix milliseconds, or 0 for never',
    'personalProjects[0].owner is required',
  ]);
  t.ok(store.isEmpty());
});

t.test('wrong flags are reported with their index in the whole array', async (t) => {
  const { apply, store } = openOperator(t);
  const good = Array.from({ length: 700 }, (_, index) => ({ name: `f${index}` }));
  const bad = {
    name: 'x',
    trafficPercentage: 101,
    tags: [''],
    environments: { a: { cohorts: [1] } },
    colour: 1,
  };
  const outcome = await apply(acme({ name: 'site', flags: [...good, bad, { name: 'f3' }] }));
  const at = 'organisations[0].projects[0].flags[700]';
  t.strictSame(problemsOf(outcome), [
    `unknown field "${at}.colour"`,
    `${at}.tags[0] must be a string of 1 to 64 characters`,
    `${at}.trafficPercentage must be a whole number between 0 and 100`,
    `${at}.environments.a.cohorts[0] must be a string of 1 to 256 characters`,
  ]);
  t.ok(store.isEmpty());
});

t.test('a flag with more unknown fields than are collected is refused', async (t) => {
  const { apply, store } = openOperator(t);
  const unknown = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`unknown${index}`, 1]));
  const outcome = await apply(acme({ name: 'site', flags: [{ name: 'f', ...unknown }, { name: 7 }] }));
  const problems = problemsOf(outcome);
  t.equal(problems[0], 'unknown field "organisations[0].projects[0].flags[0].unknown0"');
  t.equal(problems.length, 50);
  t.ok(store.isEmpty());
});

t.test('a name must be unique in the file', async (t) => {
  const { apply } = openOperator(t);
  const twice = <Item>(item: Item): Item[] => [item, item];
  const project = {
    name: 'site',
    environments: twice('e'),
    audiences: twice({ name: 'a', rules: [{ attribute: 'x', values: ['y'] }] }),
    tokens: twice({ name: 't', permission: 'read' }),
    flags: [{ name: 'f' }, { name: ' f ' }],
  };
  const members = [
    { name: 'A', email: 'a@example.test', role: 'viewer' },
    { name: 'A', email: 'A@EXAMPLE.test', role: 'viewer' },
  ];
  const organisation = { name: 'Acme', plan: 'free', members, projects: twice(project) };
  const problems = problemsOf(await apply({ organisations: [organisation, { name: 'Acme', plan: 'free' }] }));
  const path = 'organisations[0].projects[0]';
  for (const expected of [
    'organisations[1].name: "Acme" is in the file twice',
    'organisations[0].members[1].email: "a@example.test" is in the file twice',
    'organisations[0].projects[1].name: "site" is in the file twice',
    `${path}.environments[1]: "e" is in the file twice`,
    `${path}.audiences[1].name: "a" is in the file twice`,
    `${path}.tokens[1].name: "t" is in the file twice`,
    `${path}.flags[1].name: "f" is in the file twice`,
  ]) {
    t.ok(problems.includes(expected), expected);
  }
});

t.test('a repeated key is refused, because JSON would drop one', async (t) => {
  const { apply } = openOperator(t);
  const project = '{"name":"p","flags":[{"name":"a"}],\n"flags":[{"name":"b"}]}';
  const outcome = await apply(`{"organisations":[{"name":"A","plan":"free","projects":[${project}]}]}`);
  t.strictSame(problemsOf(outcome), [
    'the file is not valid JSON: line 2, column 1: the key "flags" is given twice',
  ]);
});

t.test('the wrong form of flags for the kind of project', async (t) => {
  const { apply, store } = openOperator(t);
  const group = { name: 'group', environments: ['a'], flags: [{ name: 'f', enabled: true, audience: 'x' }] };
  const single = { name: 'single', flags: [{ name: 'f', environments: { a: {} } }] };
  const missing = { name: 'missing', environments: ['a'], flags: [{ name: 'f', environments: { b: {} } }] };
  const audience = { name: 'audience', flags: [{ name: 'f', audience: 'Nobody' }] };
  const path = 'organisations[0].projects';
  t.strictSame(problemsOf(await apply(acme(group, single, missing, audience))), [
    `${path}[0].flags[0].enabled is not accepted: the project has several environments, so give it as environments.<env>.enabled`,
    `${path}[0].flags[0].audience is not accepted: the project has several environments, so give it as environments.<env>.audience`,
    `${path}[1].flags[0].environments is not accepted: the project has a single environment, so give the state next to the name`,
    `${path}[2].flags[0].environments.b is not an environment of this project (valid ones: a)`,
    `${path}[3].flags[0].audience: this project has no audience named "Nobody"`,
  ]);
  t.ok(store.isEmpty(), 'nothing of the valid projects is stored either');
});

t.test('a single-environment project stays one', async (t) => {
  const { apply } = openOperator(t);
  await apply(acme({ name: 'site' }));
  const problems = problemsOf(await apply(acme({ name: 'site', environments: ['a'] })));
  t.match(problems, [/projects\[0\]\.environments is not accepted: project "site" has a single environment/]);
});

t.test(
  "each difference from an existing token's permission, environments or expiry is a problem",
  async (t) => {
    const { apply, reader } = openOperator(t);
    const { tokens } = projectOf(await apply(exampleDocument), 'shop');
    const token = {
      name: 'ci',
      permission: 'read',
      environments: ['production'],
      expiresAt: Date.now() + 1e6,
    };
    const flags = [{ name: 'new' }];
    const problems = problemsOf(await apply(acme({ name: 'shop', tokens: [token], flags })));
    t.equal(problems.length, 3);
    for (const field of ['permission', 'environments', 'expiresAt']) {
      t.ok(
        problems.some((problem) =>
          problem.startsWith(`organisations[0].projects[0].tokens[0].${field} differs`),
        ),
      );
    }
    const { queries } = reader();
    t.match(queries.token(tokens['ci']?.id ?? ''), { permission: 'write', revision: 1 });
    t.equal([...queries.flagsOf(projectOf(await apply(exampleDocument), 'shop').id)].length, 1);
  },
);

t.test('a flag is found by the names to which it answers', async (t) => {
  const { apply, store, reader } = openOperator(t);
  const shop = projectOf(await apply(exampleDocument), 'shop');
  const id = shop.flags['checkout'] ?? '';
  const rename = (change: Partial<Flag>) => {
    const before = reader().queries.flag(id);
    if (before === undefined) throw new Error('no flag');
    store.write(({ apply: write }) => write([flagChangeOf(before, { ...before, ...change })]));
  };
  const later = flagOf(shop.id, { name: 'checkout', nameSince: null, states: new Map() });
  store.write(({ apply: write }) => write([flagChangeOf(null, later)]));
  t.equal(projectOf(await apply(exampleDocument), 'shop').flags['checkout'], id, 'the later one is not');
  rename({ name: 'payment', aliases: ['checkout'] });
  t.equal(projectOf(await apply(exampleDocument), 'shop').flags['checkout'], id, 'by its former name');
  const [organisation] = structuredClone(exampleDocument.organisations);
  const flags: object[] = organisation?.projects[0]?.flags ?? [];
  flags.push({ name: 'payment' });
  const twice = { ...exampleDocument, organisations: [organisation] };
  t.match(problemsOf(await apply(twice)), [
    /"payment" and "checkout" are names of one flag; declare it once$/,
  ]);
  rename({ aliases: [] });
  t.same(problemsOf(await apply(exampleDocument)), [
    `organisations[0].projects[0].flags[0].name: no flag answers to "checkout", but flag ${later.id} has that name; give it the name in the console first, or rename it`,
  ]);
});

t.test('tokens: 50 at most, 365 days at most, none in a personal project', async (t) => {
  const { apply } = openOperator(t);
  const day = 24 * 60 * 60 * 1000;
  const tokens = Array.from({ length: 51 }, (_, index) => ({ name: `t${index}`, permission: 'read' }));
  t.match(problemsOf(await apply(acme({ name: 'site', tokens }))), [
    /would have 51 tokens, but at most 50 are allowed/,
  ]);
  const late = [{ name: 't', permission: 'read', expiresAt: Date.now() + 366 * day }];
  t.match(problemsOf(await apply(acme({ name: 'site', tokens: late }))), [/at most 365 days/]);
  const owner = 'a@example.test';
  const personal = { personalProjects: [{ name: 'mine', owner, tokens: tokens.slice(0, 1) }] };
  t.strictSame(problemsOf(await apply(personal)), [
    'personalProjects[0].tokens: a personal project has no tokens',
  ]);
  t.match(await apply(acme({ name: 'site', tokens: tokens.slice(0, 50) })), { ok: true });
  const more = [{ name: 'one more', permission: 'read' }];
  t.match(
    problemsOf(await apply(acme({ name: 'site', tokens: more }))),
    [/would have 51/],
    'together with existing ones',
  );
});

t.test('odd but allowed: warnings', async (t) => {
  const { apply } = openOperator(t);
  const outcome = await apply(
    acme({
      name: 'site',
      audiences: [{ name: 'a', rules: [{ attribute: 'cohort', values: ['x'] }] }],
      tokens: [{ name: 't', permission: 'read', expiresAt: 1 }],
    }),
  );
  t.match(outcome, {
    ok: true,
    warnings: [/"cohort" is never an attribute/, /tokens\[0\]\.expiresAt has passed/],
  });
});

t.test('the first 50 problems are listed, and up to 1000 are counted', async (t) => {
  const { apply } = openOperator(t);
  const flags = Array.from({ length: 100_000 }, () => ({ name: 1 }));
  const outcome = await apply(acme({ name: 'site', flags }));
  t.equal(problemsOf(outcome).length, 50);
  t.match(outcome, { ok: false, problemCount: 1000 });
});

t.test('a file that is not readable JSON', async (t) => {
  const { apply, operator } = openOperator(t);
  t.match(problemsOf(await apply('{"organisations": [}')), [
    'the file is not valid JSON: line 1, column 20: unexpected character where a value should be',
  ]);
  t.match(problemsOf(await apply('')), [/line 1, column 1: it ends where a value should be/]);
  t.match(problemsOf(await apply('['.repeat(100_000))), [/nested deeper than 32 levels/]);
  t.match(problemsOf(await apply('[]')), ['the document must be an object']);
  t.match(problemsOf(await apply('{"organisations":{"projects":[]}}')), [
    'organisations must be an array of organisations',
  ]);
  const flags = '{"organisations":[{"name":"A","plan":"free","projects":[{"name":"p","flags":7}]}]}';
  t.match(problemsOf(await apply(flags)), ['organisations[0].projects[0].flags must be an array of flags']);
  const notText = await operator('apply', new Uint8Array([0xff]));
  t.match(problemsOf(notText), ['the file is not UTF-8 text']);
  const surrogate = '{"organisations":[{"name":"\\ud800","plan":"free"}]}';
  t.match(problemsOf(await apply(surrogate)), [/organisations\[0\]\.name must be a string/]);
  t.match(await apply('\uFEFF{}'), { ok: true }, 'a byte order mark is skipped');
});

t.test('an apply whose client has left is aborted, and leaves nothing', async (t) => {
  const { context, store } = openOperator(t);
  const operator = createOperator({ ...context, signal: AbortSignal.abort() });
  await t.rejects(operator('apply', Buffer.from(JSON.stringify(exampleDocument))), { name: 'AbortError' });
  t.ok(store.isEmpty());
});

t.test('an id that is in use, or differs, and a slug that is taken', async (t) => {
  const { apply, reader } = openOperator(t);
  const projectId = 'p'.repeat(20);
  const flagId = 'f'.repeat(20);
  const shop = { name: 'shop', id: projectId, slug: 'shop', flags: [{ name: 'checkout', id: flagId }] };
  t.match(await apply(acme(shop)), { ok: true });
  const [organisation] = [...reader().queries.organisations()];
  const path = 'organisations[0].projects[0]';
  const other = '0'.repeat(19);
  const ofShop = { ...shop, slug: 'shop' };
  const blog = { name: 'blog' };
  const cases: readonly (readonly [project: object, problems: readonly string[]])[] = [
    [{ ...blog, id: projectId }, [`${path}.id: ${projectId} is the id of project "shop" already`]],
    [
      { ...blog, id: flagId },
      [`${path}.id: ${flagId} is the id of flag "checkout" of project "shop" already`],
    ],
    [
      { ...blog, id: organisation?.id },
      [`${path}.id: ${organisation?.id} is the id of something else already`],
    ],
    [{ ...blog, id: `${other}0` }, [`${path}.id: ${other}0 is the id of something else already`]],
    [
      { ...blog, slug: 'shop', isSlugPublic: true, flags: [{ name: 'f', id: flagId }] },
      [
        `${path}.slug "shop" is taken: a project has it, or had it before`,
        `${path}.flags[0].id: ${flagId} is the id of flag "checkout" of project "shop" already`,
      ],
    ],
    [{ ...blog, isSlugPublic: true }, [`${path}.isSlugPublic needs a slug`]],
    [
      { ...ofShop, id: `${other}1`, flags: [{ name: 'checkout', id: `${other}2` }] },
      [
        `${path}.id differs from that of the existing "shop", which is ${projectId} and cannot change; leave the id out of the file`,
        `${path}.flags[0].id differs from that of the existing "checkout", which is ${flagId} and cannot change; leave the id out of the file`,
      ],
    ],
    [
      { ...ofShop, flags: [{ name: 'payment', id: flagId }] },
      [`${path}.flags[0].id: ${flagId} is the id of flag "checkout" of project "shop" already`],
    ],
    [
      { ...blog, id: 'short', slug: 'Shop', flags: [{ name: 'f', id: 'a-b' }], tokens: [] },
      [
        `${path}.id must be an id: 20 characters of 0-9, A-Z and a-z`,
        `${path}.slug must be a slug: 2 to 40 characters of a-z, 0-9 and "-", beginning with a letter, and not 20 characters, as many as an id has`,
        `${path}.flags[0].id must be an id: 20 characters of 0-9, A-Z and a-z`,
      ],
    ],
  ];
  for (const [project, problems] of cases) t.strictSame(problemsOf(await apply(acme(project))), problems);
  t.equal([...reader().queries.projects()].length, 1);
});
