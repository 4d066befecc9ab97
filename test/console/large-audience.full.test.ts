import t from 'tap';
import { bootConsole, person, signInAs } from './console-fixture.ts';

t.setTimeout(120_000);

const valuesOf = (kind: string): string[] =>
  Array.from({ length: 10_000 }, (_, index) => `${kind} customer ${index}`.padEnd(24, '.'));

/** Its answers are made in one piece, and sent in several chunks. */
const document = {
  organisations: [
    {
      name: 'acme',
      plan: 'enterprise',
      members: [person('owner')],
      projects: [
        {
          name: 'shop',
          audiences: [{ name: 'Large', rules: [{ attribute: 'plan', values: valuesOf('first') }] }],
          flags: [{ name: 'checkout', audience: 'Large' }],
        },
      ],
    },
  ],
};

t.test('an audience of hundreds of kilobytes is read and changed by many at once', async (t) => {
  const server = await bootConsole(t, document, { BURGEE_WORKERS: '1' });
  const client = await signInAs(t, server, person('owner').email);
  const [project] = (await client.send('GET', '/projects')).json.projects;
  const path = `/projects/${project.id}/audiences`;
  for (const kind of ['second', 'third', 'fourth']) {
    const lists = await Promise.all(Array.from({ length: 8 }, () => client.send('GET', path)));
    for (const { status } of lists) t.equal(status, 200);
    const [audience] = lists[0]?.json.audiences ?? [];
    const rules = [{ attribute: 'plan', values: valuesOf(kind) }];
    const changed = await client.send('PATCH', `${path}/${audience.id}`, {
      revision: audience.revision,
      rules,
    });
    t.equal(changed.status, 200);
    t.strictSame(changed.json.rules, rules);
    t.strictSame((await client.send('GET', `${path}/${audience.id}`)).json.rules, rules);
  }
  t.strictSame(
    server.lines.filter((line) => /"level":[456]0/.test(line)),
    [],
    'no request fails, and no worker is replaced',
  );
  await server.stop();
});
