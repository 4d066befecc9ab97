import t, { type Test } from 'tap';
import { slugsMax } from '../../src/domain/bounds.ts';
import { proposedSlug } from '../../src/domain/project/project-slug.ts';
import { person, signInAs } from '../console/console-fixture.ts';
import { bearer, callSync, flagdPortOf, grpcClient } from '../flagd/flagd-fixture.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(120_000);

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A server with a project whose slug was `store` and is `shop`, and another one, whose slug is `blog`. */
async function stage(t: Test) {
  const dataDir = temporaryDirectory(t);
  const shop = {
    name: 'Shop',
    slug: 'shop',
    environments: ['production'],
    flags: [{ name: 'checkout', environments: { production: { enabled: true, trafficPercentage: 100 } } }],
    tokens: [{ name: 'ci', permission: 'read' }],
  };
  const applyTo = (change: object) =>
    provision(dataDir, temporaryDirectory(t), {
      organisations: [
        {
          name: 'acme',
          plan: 'enterprise',
          members: [person('owner'), person('admin'), person('editor')],
          projects: [
            { ...shop, ...change },
            { name: 'Blog', slug: 'blog', isSlugPublic: true },
          ],
        },
      ],
    });
  const made = await applyTo({ slug: 'store' });
  await applyTo({});
  const settings = { ...unlimited, BURGEE_FLAGD_SYNC_PORT: '0' };
  const server = await bootServer(t, { dataDir, settings });
  return { dataDir, server, shop: projectOf(made, 'Shop'), blog: projectOf(made, 'Blog') };
}

t.test('a slug is answered as the id is: without a token, once it is public', async (t) => {
  const { dataDir, server, shop } = await stage(t);
  const origin = `http://127.0.0.1:${server.port}`;
  const { secret } = tokenOf(shop, 'ci');
  const flagId = idOf(shop.flags, 'checkout');
  const grpc = grpcClient(t, await flagdPortOf(server));
  const admin = await signInAs(t, server, person('admin').email);
  const http = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const answer = await fetch(`${origin}${path}`, init);
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true) {
      await answer.body?.cancel();
      return { status: answer.status, body: 'events' };
    }
    return { status: answer.status, body: await answer.text() };
  };
  const post = (body: unknown, headers: object = {}) => ({
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  });
  const evaluate = '/ofrep/v1/evaluate/flags';
  const context = { context: { targetingKey: 'user-1' } };
  const open: Readonly<Record<string, (project: string) => Promise<Answer>>> = {
    'the list of the Evaluation API': (project) => http(`/v1/flags/project/${project}?env=production`),
    'a flag by name': (project) => http(`/projects/${project}/production${evaluate}/checkout`, post(context)),
    'a flag by id': (project) => http(`/projects/${project}/production${evaluate}/${flagId}`, post(context)),
    'a flag, with a list in the context': (project) =>
      http(`/projects/${project}/production${evaluate}/checkout`, post({ context: { plan: ['a', 'b'] } })),
    'all flags': (project) => http(`/projects/${project}/production${evaluate}`, post(context)),
    'all flags, by a header': (project) =>
      http(evaluate, post(context, { 'x-api-key': `${project}/production` })),
    'events for browsers': (project) => http(`/projects/${project}/production/ofrep/v1/events`),
  };
  const report = { reportId: 'report-of-slugs', flags: [] };
  const authorized = { authorization: `Bearer ${secret}` };
  const known: Readonly<Record<string, (project: string) => Promise<Answer>>> = {
    sync: (project) => http(`/sync/v1/${project}/production`, { headers: authorized }),
    'a report of usage': (project) => http(`/sync/v1/usage/${project}/production`, post(report, authorized)),
    flagd: async (project) => {
      const call = callSync(grpc, { selector: `${project}/production`, metadata: bearer(secret) });
      const first = await Promise.race([call.configuration(0), call.ended]);
      call.cancel();
      return { status: 'code' in first ? 404 : 200, body: JSON.stringify(first) };
    },
    console: async (project) => {
      const { status, text } = await admin.send('GET', `/projects/${project}`);
      return { status, body: text };
    },
    'search in the console': async (project) => {
      const { status, text } = await admin.send('GET', `/search?q=check&project=${project}`);
      return { status, body: text };
    },
  };
  const setPublic = async (isSlugPublic: boolean) => {
    const { revision } = (await admin.send('GET', `/projects/${shop.id}`)).json;
    const answer = await admin.send('PATCH', `/projects/${shop.id}`, { revision, isSlugPublic });
    t.equal(answer.status, 200);
  };
  // An unknown slug is asked for before and after, so that nothing of it is kept.
  for (const isPublic of [false, true, false]) {
    await setPublic(isPublic);
    for (const [way, ask] of [...Object.entries(open), ...Object.entries(known)]) {
      const byId = await ask(shop.id);
      t.equal(byId.status, 200, `${way}, by id`);
      const unknown = await ask('none');
      t.equal(unknown.status, 404, `${way}, by an unknown slug`);
      for (const slug of ['shop', 'store']) {
        const answers = isPublic || way in known;
        const expected = answers ? byId : { ...unknown, body: unknown.body.replaceAll('none', slug) };
        // A report counts once: later ones are repeated.
        const answer = await ask(slug);
        if (way === 'a report of usage') t.equal(answer.status, expected.status, `${way}, ${slug}`);
        else t.strictSame(answer, expected, `${way}, ${slug}, public: ${isPublic}`);
      }
    }
  }
  t.equal((await known['sync']?.('blog'))?.status, 404, 'the slug of another project');
  await server.stop();
  await runBurgeeOrThrow(['check', '--data-dir', dataDir]);
});

t.test('an Admin gives a slug; it is never given to another project', async (t) => {
  const { server, shop, blog } = await stage(t);
  const admin = await signInAs(t, server, person('admin').email);
  const editor = await signInAs(t, server, person('editor').email);
  const edit = async (id: string, change: object, by = admin) => {
    const { revision } = (await by.send('GET', `/projects/${id}`)).json;
    return by.send('PATCH', `/projects/${id}`, { revision, ...change });
  };
  t.equal((await edit(shop.id, { slug: 'kiosk' }, editor)).status, 403);
  t.equal((await edit(shop.id, { isSlugPublic: true }, editor)).status, 403);
  const shape =
    'slug must be 2 to 40 characters of a-z, 0-9 and "-", beginning with a letter, and not 20 characters, as many as an id has';
  const taken = (slug: string) => `slug "${slug}" is taken: a project has it, or had it before`;
  const refused: readonly (readonly [string, string])[] = [
    ...['', 'a', 'Shop', '1shop', '-shop', 'a_b', 'a'.repeat(20), 'a'.repeat(41), 'é'.repeat(5)].map(
      (slug) => [slug, shape] as const,
    ),
    ...['shop', 'store'].map((slug) => [slug, taken(slug)] as const),
  ];
  for (const [slug, detail] of refused) {
    const edited = await edit(blog.id, { slug });
    t.equal(edited.status, 400, slug);
    t.equal(edited.json.detail, detail);
    const body = { name: 'New', isMultiEnvironment: false, slug };
    t.equal((await admin.send('POST', '/projects', body)).json.detail, detail);
  }
  const created = await admin.send('POST', '/projects', {
    name: 'N',
    isMultiEnvironment: false,
    slug: 'n-1',
  });
  t.match(created.json, { slugs: ['n-1'], isSlugPublic: false });
  const bare = await admin.send('POST', '/projects', { name: 'B', isMultiEnvironment: false });
  t.equal((await edit(bare.json.id, { isSlugPublic: true })).json.detail, 'isSlugPublic needs a slug');
  t.match((await edit(shop.id, { slug: 'store' })).json, { slugs: ['store', 'shop'] }, 'its former one');
  t.match((await edit(shop.id, { slug: 'store' })).json, { slugs: ['store', 'shop'] }, 'no change');
  for (let count = 3; count <= slugsMax; count += 1) {
    t.equal((await edit(shop.id, { slug: `shop-${count}` })).status, 200);
  }
  const last = await edit(shop.id, { slug: 'one-more', isSlugPublic: true });
  t.equal(
    last.json.detail,
    'slug cannot change: the project has had 10 slugs, and it keeps them all, so give it one of them again',
  );
  t.match((await edit(shop.id, { slug: 'shop', isSlugPublic: true })).json, { isSlugPublic: true });
  const { entries } = (await admin.send('GET', `/projects/${shop.id}/audit`)).json;
  t.match(entries[0], {
    action: 'project.edit',
    actor: { name: person('admin').name },
    changes: [
      { field: 'slug', before: 'shop-10', after: 'shop' },
      { field: 'isSlugPublic', before: false, after: true },
    ],
  });
  t.equal(entries.filter(({ action }: { action: string }) => action === 'project.edit').length, 11);
});

t.test('a slug is proposed for a name', (t) => {
  const proposals = {
    shop: 'shop',
    '  Web Shop (EU) ': 'web-shop-eu',
    'Crème brûlée': 'creme-brulee',
    '2nd shop': 'nd-shop',
    a: '',
    漢字: '',
    [`x${'y'.repeat(19)}`]: '',
    [`x${' y'.repeat(40)}`]: `x${'-y'.repeat(19)}`,
  };
  for (const [name, slug] of Object.entries(proposals)) t.equal(proposedSlug(name), slug, name);
  t.end();
});
