import type { Hand, Steps } from './hand.ts';
import {
  buttonOf,
  card,
  dialog,
  fillDialog,
  goTo,
  notice,
  save,
  stepsBefore,
  takeSecret,
} from './steps-before.ts';
import { elsewhere } from './task-world.ts';
import { createdFlag, invited, revokedToken } from './tasks.ts';

/** Production is protected: the question has the focus on its button. */
async function confirmOff(hand: Hand): Promise<void> {
  const confirm = buttonOf(dialog(hand), 'Switch off');
  await hand.awaits(confirm);
  if (hand.hasKeys) await hand.command('Enter');
  else await hand.press(confirm);
  await hand.awaits(notice(hand.page, /is off in production/));
}

/** From any page: the palette has every project, and a switch in each row. */
async function switchOffByPalette(hand: Hand, part: string, name: string, project: string): Promise<void> {
  const { page } = hand;
  if (hand.hasKeys) await hand.command('Control+k');
  else await hand.press(buttonOf(page, hand.device === 'phone' ? 'Search everything' : /^Go to/));
  await hand.awaits(page.getByRole('combobox', { name: /^Flag, page or action/ }));
  await hand.type(part);
  if (hand.hasKeys) {
    await hand.awaits(page.getByRole('option', { name: new RegExp(`^${name}`), selected: true }));
    await hand.command('Control+Enter');
  } else {
    await hand.press(
      dialog(hand).getByRole('switch', { name: `${name} in production, ${project}`, exact: true }),
    );
  }
  await confirmOff(hand);
}

/** The shortest known way through each task in this console, where it is not that of the older one. */
export const steps: Steps = {
  ...stepsBefore,
  'switch-elsewhere': (hand) => switchOffByPalette(hand, 'card', 'card-authorisation', elsewhere),
  'switch-here': async (hand) => {
    const { page } = hand;
    if (hand.hasKeys) return await switchOffByPalette(hand, 'expr', 'express-checkout', '');
    await hand.fill(page.getByRole('searchbox', { name: 'Search flags' }), 'expr');
    await hand.press(page.getByRole('switch', { name: 'express-checkout in production', exact: true }));
    await confirmOff(hand);
  },
  rollout: async (hand) => {
    const production = card(hand, 'production');
    // The steps are for the pointer; the field beside them takes any number.
    if (hand.hasKeys)
      await hand.replace(production.getByRole('textbox', { name: 'Rollout in percent' }), '50');
    else await hand.press(buttonOf(production, '50%'));
    await save(hand);
  },
  create: async (hand) => {
    await fillDialog(hand, 'Create flag', 'Name', createdFlag);
    await hand.press(card(hand, 'development').getByRole('switch'));
    await hand.press(buttonOf(dialog(hand), 'Switch on at 100%'));
    await hand.awaits(notice(hand.page, /is on in development/));
  },
  'copy-state': async (hand) => {
    await hand.press(buttonOf(card(hand, 'staging'), 'Copy to …'));
    await hand.press(hand.page.getByRole('menuitem', { name: 'production' }));
    await hand.press(buttonOf(dialog(hand), 'Add to draft'));
    await save(hand);
  },
  'find-tag': async (hand) => {
    if (hand.device === 'phone') await hand.press(buttonOf(hand.page, /^Filters/));
    return await stepsBefore['find-tag']?.(hand);
  },
  'revoke-token': async (hand) => {
    await goTo(hand, 'Tokens');
    await hand.press(buttonOf(hand.page, `More actions for ${revokedToken}`));
    await hand.press(hand.page.getByRole('menuitem', { name: /^Revoke/ }));
    await hand.press(buttonOf(dialog(hand), 'Revoke token'));
    await hand.awaits(notice(hand.page, /^Revoked /));
  },
  invite: async (hand) => {
    await goTo(hand, 'Members');
    await fillDialog(hand, 'Invite member', 'Email', invited);
    await takeSecret(hand, `Invitation for ${invited}`, 'Done');
  },
};
