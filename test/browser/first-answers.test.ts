import type { Page } from 'playwright-core';
import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { createProject } from './support/console-steps.ts';
import { becomeOwner } from './support/sign-in.ts';

t.setTimeout(120_000);

const operations = [
  [/^\/session$/, 'session'],
  [/^\/projects$/, 'projects'],
  [/^\/projects\/\w+\/flags\?limit=100$/, 'flags'],
] as const;

/** Requests for what the first page shows, and the answer of the session, in the order in which they come. */
function watchAnswers(page: Page): readonly string[] {
  const seen: string[] = [];
  const nameOf = (url: string): string | undefined => {
    const { pathname, search } = new URL(url);
    const path = `${pathname.replace('/console/api', '')}${search}`;
    return operations.find(([pattern]) => pattern.test(path))?.[1];
  };
  page.on('request', (request) => {
    const name = nameOf(request.url());
    if (name !== undefined) seen.push(`${name} asked`);
  });
  page.on('response', (response) => {
    // What the page before asked for does not count.
    if (response.request().isNavigationRequest()) seen.splice(0);
    if (nameOf(response.url()) === 'session') seen.push('session answered');
  });
  return seen;
}

await consoleTest(t, 'the list is asked for before the console has loaded', {}, async (t, stage) => {
  const first = await stage.window();
  await becomeOwner(stage, first);
  await createProject(first.page, 'shop', []);
  const { page } = first;
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();

  const seen = watchAnswers(page);
  const list = page.waitForRequest(/\/flags\?limit=100$/);
  await page.route(/\/assets\/index-[^/]+[.]js$/, async (route) => {
    await list;
    await route.continue();
  });
  await page.reload();
  await page.getByRole('heading', { name: 'No flags yet' }).waitFor();
  t.same(
    seen,
    ['session asked', 'session answered', 'projects asked', 'flags asked'],
    'each once, and nothing from before the position that the session names',
  );
});

await consoleTest(
  t,
  'nothing but the session is asked for when nobody is signed in',
  {},
  async (t, stage) => {
    const first = await stage.window();
    await becomeOwner(stage, first);

    const { page, open } = await stage.window();
    const seen = watchAnswers(page);
    await open('/console/projects');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    t.same(seen.slice(0, 2), ['session asked', 'session answered']);
    t.notOk(seen.includes('projects asked'));
  },
);
