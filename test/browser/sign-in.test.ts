import t from 'tap';
import { consoleTest } from './support/console-stage.ts';
import { becomeOwner, firstOwnerLink, owner, signIn } from './support/sign-in.ts';

t.setTimeout(120_000);

await consoleTest(t, 'the printed link makes the first Owner, once', {}, async (t, stage) => {
  const window = await stage.window();
  const { page } = window;
  await becomeOwner(stage, window);
  t.notMatch(page.url(), /#/, 'the secret is in no address');
  t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Projects');

  const late = await stage.window();
  late.watch.expectStatus(410);
  await late.open(await firstOwnerLink(stage.server));
  await late.page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  t.match(await late.page.getByRole('alert').textContent(), /used, has expired or was withdrawn/);

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
  t.match(await window.page.getByRole('alert').textContent(), /Wrong email or password/);
  t.equal(await window.page.getByLabel('Email').inputValue(), owner.email, 'the entered email stays');
});
