import { consoleCaller } from './console-caller.ts';
import { card, dialog, notice } from './console-steps.ts';
import type { FurnishedDemo } from './furnished-demo.ts';
import { heading, opened, type Screen, type Show } from './screen.ts';

interface FlagAnswer {
  readonly revision: number;
  readonly states: Readonly<Record<string, { readonly trafficPercentage: number }>>;
}

/**
 * Screens that show something after a change. Each changes a flag of its own: several windows show screens at once, and
 * one window's change must not reach another's screen.
 */
export function changingScreens(demo: FurnishedDemo): readonly Screen[] {
  const { projectId, switchedFlag, contestedFlag } = demo;
  const pathOf = ({ id }: { readonly id: string }): string => `/console/projects/${projectId}/flags/${id}`;
  const switched: Show = async (page) => {
    await heading(switchedFlag.name)(page);
    await card(page, 'staging').getByRole('switch').press('Space');
    await notice(page, /is (on|off) in staging/).waitFor();
  };
  const conflict: Show = async (page) => {
    await heading(contestedFlag.name)(page);
    await card(page, 'production').getByRole('button', { name: '25%' }).click();
    const call = consoleCaller(page);
    const stored = await call<FlagAnswer>('GET', `/projects/${projectId}/flags/${contestedFlag.id}`);
    const [first, state] = Object.entries(stored.states)[0] ?? ['', { trafficPercentage: 0 }];
    const trafficPercentage = state.trafficPercentage === 60 ? 40 : 60;
    const states = { [first]: { trafficPercentage } };
    await call('PATCH', `/projects/${projectId}/flags/${contestedFlag.id}`, {
      revision: stored.revision,
      states,
    });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('dialog', { name: 'You both changed the same fields' }).waitFor();
  };
  const made: Show = async (page) => {
    await opened(heading('Tokens'), 'Create token')(page);
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('release robot');
    await dialog(page).getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog', { name: 'Token release robot' }).waitFor();
  };
  return [
    { name: 'flag-switched', path: pathOf(switchedFlag), show: switched },
    { name: 'flag-conflict', path: pathOf(contestedFlag), show: conflict },
    { name: 'token-secret', path: `/console/projects/${projectId}/tokens`, show: made },
  ];
}
