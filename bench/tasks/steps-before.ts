import type { Locator, Page } from 'playwright-core';
import type { Hand, Steps } from './hand.ts';
import { audience, elsewhere, tag } from './task-world.ts';
import { createdFlag, invited, madeToken, revokedToken } from './tasks.ts';

/**
 * The shortest known way through each task in the console as it was at commit d7815bb, whose figures are saved in
 * `bench/results/console-tasks-before.json`. They can be measured again with `--before` and a checkout of that commit.
 */

export function dialog({ page }: Hand): Locator {
  return page.getByRole('dialog');
}

export function card({ page }: Hand, environment: string): Locator {
  return page.getByRole('region', { name: environment, exact: true });
}

export function notice(page: Page, text: RegExp): Locator {
  return page.getByRole('region', { name: 'Notifications' }).getByText(text);
}

export function buttonOf(place: Locator | Page, name: string | RegExp): Locator {
  return place.getByRole('button', { name, exact: typeof name === 'string' });
}

/** On a phone the navigation is behind a button. */
async function openNavigation(hand: Hand): Promise<void> {
  if (hand.device === 'phone') await hand.press(buttonOf(hand.page, 'Navigation'));
}

/** Opens what the palette finds first. */
async function goByPalette(hand: Hand, text: string, title: string): Promise<void> {
  await hand.command('Control+k');
  await hand.awaits(hand.page.getByRole('combobox', { name: /^Flag, page or action/ }));
  await hand.type(text);
  await hand.awaits(hand.page.getByRole('option', { name: title, selected: true }));
  await hand.command('Enter');
}

export async function goTo(hand: Hand, title: string): Promise<void> {
  const { page } = hand;
  if (hand.hasKeys) await goByPalette(hand, title.toLowerCase(), title);
  else {
    await openNavigation(hand);
    await hand.press(page.getByRole('navigation').getByRole('link', { name: title, exact: true }));
  }
  await hand.awaits(page.getByRole('heading', { level: 1, name: title, exact: true }));
}

async function toProject(hand: Hand, name: string): Promise<void> {
  const { page } = hand;
  if (hand.hasKeys) await goByPalette(hand, name, name);
  else {
    await openNavigation(hand);
    await hand.press(buttonOf(page, /^Project: /));
    await hand.press(page.getByRole('menuitem', { name, exact: true }));
  }
  await hand.awaits(buttonOf(page, `Project: ${name}`).or(page.getByRole('heading', { level: 1 })));
}

/** Opens a flag of this project by a part of its name. */
export async function openFlag(hand: Hand, part: string, name: string): Promise<void> {
  const { page } = hand;
  if (hand.hasKeys) await goByPalette(hand, part, name);
  else {
    await hand.fill(page.getByRole('searchbox', { name: 'Search flags' }), part);
    await hand.press(page.getByRole('link', { name, exact: true }));
  }
  await hand.awaits(page.getByRole('heading', { level: 1, name }));
}

async function switchOff(hand: Hand): Promise<void> {
  await hand.press(card(hand, 'production').getByRole('switch'));
  await hand.press(buttonOf(dialog(hand), 'Switch off'));
  await hand.awaits(notice(hand.page, /is off in production/));
}

export async function save(hand: Hand): Promise<void> {
  await hand.press(buttonOf(hand.page, /^Review /));
  await hand.press(buttonOf(dialog(hand), /^Save /));
  await hand.awaits(notice(hand.page, /^Saved /));
}

/** Presses the button that opens a dialog with one field to fill, fills it and sends it. */
export async function fillDialog(hand: Hand, button: string, field: string, text: string): Promise<void> {
  await hand.press(buttonOf(hand.page.getByRole('main'), button));
  await hand.fill(dialog(hand).getByRole('textbox', { name: field, exact: true }), text);
  await hand.command('Enter');
}

/** Copies a secret that is shown once, and closes its dialog. */
export async function takeSecret(hand: Hand, title: string, done: string): Promise<void> {
  const shown = hand.page.getByRole('dialog', { name: title });
  await hand.press(buttonOf(shown, /^Copy /));
  await hand.press(buttonOf(shown, done));
}

async function limitToAudience(hand: Hand): Promise<void> {
  const field = card(hand, 'production').getByRole('combobox', { name: 'Audience' });
  const option = hand.page.getByRole('option', { name: audience });
  await hand.press(field);
  if (hand.hasKeys) {
    await hand.type(audience.slice(0, 4));
    await hand.awaits(option);
    await hand.command('ArrowDown');
    await hand.command('Enter');
  } else await hand.press(option);
  await save(hand);
}

export const stepsBefore: Steps = {
  'switch-elsewhere': async (hand) => {
    await toProject(hand, elsewhere);
    await openFlag(hand, 'card', 'card-authorisation');
    await switchOff(hand);
  },
  'switch-here': async (hand) => {
    await openFlag(hand, 'expr', 'express-checkout');
    await switchOff(hand);
  },
  undo: async (hand) => {
    if (hand.hasKeys) await hand.command('u');
    else await hand.press(buttonOf(hand.page.getByRole('region', { name: 'Notifications' }), 'Undo'));
    await hand.awaits(notice(hand.page, /is on in staging/));
  },
  rollout: async (hand) => {
    await hand.press(buttonOf(card(hand, 'production'), '50%'));
    await save(hand);
  },
  create: async (hand) => {
    await fillDialog(hand, 'Create flag', 'Name', createdFlag);
    await hand.press(card(hand, 'development').getByRole('switch'));
    await hand.press(buttonOf(card(hand, 'development'), '100%'));
    await save(hand);
  },
  'limit-to-audience': limitToAudience,
  'copy-state': async (hand) => {
    await hand.press(buttonOf(card(hand, 'staging'), 'Copy to …'));
    await hand.press(hand.page.getByRole('menuitem', { name: 'production' }));
    await hand.press(buttonOf(dialog(hand), 'Apply to the draft'));
    await save(hand);
  },
  'who-changed': async (hand) => {
    await openFlag(hand, 'rounding', 'price-rounding');
    await hand.press(hand.page.getByRole('tab', { name: 'History' }));
    return await hand.reads(
      hand.page.getByRole('tabpanel', { name: 'History' }).getByRole('listitem').first(),
    );
  },
  try: async (hand) => {
    const { page } = hand;
    await hand.press(page.getByRole('tab', { name: 'Try it' }));
    await hand.select(page.getByLabel('Environment', { exact: true }), 'production');
    await hand.fill(page.getByLabel('Targeting key'), 'user-1');
    await hand.command('Enter');
    return await hand.reads(page.getByRole('region', { name: 'Answer' }));
  },
  snippet: async (hand) => {
    const { page } = hand;
    await hand.press(page.getByRole('tab', { name: 'Code' }));
    await hand.select(page.getByLabel('Environment', { exact: true }), 'production');
    await hand.press(page.getByRole('tab', { name: 'Go', exact: true }));
    await hand.press(buttonOf(page, 'Copy Go'));
  },
  'find-tag': async (hand) => {
    const { page } = hand;
    await hand.select(page.getByLabel('Tag', { exact: true }), tag);
    await hand.select(page.getByLabel('State', { exact: true }), 'On');
    await hand.select(page.getByLabel('Environment of the state'), 'in production');
    return await hand.reads(page.getByRole('main').getByRole('status').filter({ hasText: / of / }));
  },
  'make-token': async (hand) => {
    await goTo(hand, 'Tokens');
    await fillDialog(hand, 'Create token', 'Name', madeToken);
    await takeSecret(hand, `Token ${madeToken}`, 'I have stored it');
  },
  'revoke-token': async (hand) => {
    await goTo(hand, 'Tokens');
    await hand.press(buttonOf(hand.page, `Revoke ${revokedToken}`));
    await hand.press(buttonOf(dialog(hand), 'Revoke token'));
    await hand.awaits(notice(hand.page, /^Revoked /));
  },
  invite: async (hand) => {
    await goTo(hand, 'Members');
    await fillDialog(hand, 'Invite member', 'Email', invited);
    await takeSecret(hand, `Invitation for ${invited}`, 'I have stored it');
  },
};
