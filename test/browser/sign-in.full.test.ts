import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { becomeOwner, firstOwnerLink, owner, ownOrganisation, signIn } from './support/sign-in.ts';

t.setTimeout(120_000);

await consoleTest(t, 'the printed link makes the first Owner, once', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  // Until then there is nobody who could sign in.
  await window.open('/console/');
  await page.getByRole('heading', { name: 'Set up Burgee' }).waitFor();
  t.match(
    await page.getByRole('main').textContent(),
    /no members yet.*printed a link to its output.*restart/,
  );
  t.equal(await page.getByLabel('Email').count(), 0);
  await becomeOwner(stage, window);
  t.notMatch(page.url(), /#/, 'the secret is in no address');
  await page.getByRole('navigation').getByRole('heading', { name: ownOrganisation }).waitFor();
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Projects');

  const late = await stage.window();
  late.watch.expectStatus(410);
  await late.open(await firstOwnerLink(stage.server));
  await late.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  const words = await late.page.getByRole('main').textContent();
  t.match(await late.page.getByRole('alert').textContent(), /used, has expired or was withdrawn/);
  t.equal(words?.match(/expired/g)?.length, 1, 'it is said once');
  t.notMatch(words, '`');
  await late.open('/console/link#another');
  await late.page.waitForURL(/link$/);
  await late.page.getByRole('link', { name: 'Sign in' }).click();
  await late.page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await signIn(late, owner);
  await late.page.getByRole('heading', { name: 'Projects' }).waitFor();
  await late.page.getByRole('button', { name: owner.name }).click();
  await late.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await late.page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

await consoleTest(t, 'a wrong password is refused in words', {}, async (t, stage) => {
  await becomeOwner(stage, await stage.window());
  const window = await stage.window();
  window.watch.expectStatus(401);
  await signIn(window, { ...owner, password: 'a wrong password' });
  t.equal(await window.page.getByRole('alert').textContent(), 'Wrong email or password.');
  t.equal(await window.page.getByLabel('Email').inputValue(), owner.email, 'the entered email stays');
});

await consoleTest(t, 'the set-up page says beside each field what is missing', {}, async (t, stage) => {
  const { page, open } = await stage.window();
  await open(await firstOwnerLink(stage.server));
  await page.getByLabel('New password').fill('too short');
  await page.getByLabel('Email').fill('olga');
  await page.getByRole('button', { name: 'Continue' }).click();
  const messageOf = async (label: string): Promise<string> => {
    const field = page.getByLabel(label);
    const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(/\s+/);
    return (await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).textContent()))).join(' ');
  };
  t.equal(await page.getByLabel('Organisation').inputValue(), '', 'its first name means nothing');
  t.match(await messageOf('Organisation'), /Enter a name\./);
  t.match(await messageOf('Your name'), /Enter a name\./);
  t.match(await messageOf('Email'), /Enter an address like name@example\.com\./);
  t.match(await messageOf('New password'), /At least 12 characters: 3 more\./);
  t.equal(
    await page.locator(':focus').getAttribute('autocomplete'),
    'organization',
    'the first one has the focus',
  );
});
