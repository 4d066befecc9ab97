import { useQueryClient } from '@tanstack/react-query';
import { useSharedValue } from '../parts/shared-value.ts';
import { chooseSwitch, pendingSwitches } from './switch-flow.ts';
import {
  type StoredSwitch,
  type SwitchDraft,
  type SwitchTarget,
  type SwitchWish,
  switchKey,
} from './switch-rules.ts';

/** What only a page with a draft of the flag gives. */
type WithDraft = Partial<Pick<SwitchWish, 'onStored'>> & { readonly draft?: SwitchDraft | null };

export interface FlagSwitch {
  /** `Switching off …` until there is an answer: the switch shows what is stored meanwhile. Null: nothing is sent. */
  readonly busy: string | null;
  /**
   * Switches, at once or after a question. What a person then reads is shown by the page-wide `SwitchQuestions` and a
   * notice with an Undo.
   *
   * @param stored the state that the control shows
   */
  choose(next: boolean, stored: StoredSwitch, more?: WithDraft): void;
}

/** @returns what is being done to a switch; null: nothing is */
export function useSwitching(target: SwitchTarget): string | null {
  const key = switchKey(target);
  const next = useSharedValue(pendingSwitches, (present) => present.get(key));
  return next === undefined ? null : `Switching ${next ? 'on' : 'off'} …`;
}

/** The switch of one flag in one environment, wherever it is shown: on its card, in the list, in the palette. */
export function useFlagSwitch(target: SwitchTarget): FlagSwitch {
  const client = useQueryClient();
  const busy = useSwitching(target);
  const choose: FlagSwitch['choose'] = (next, stored, { draft = null, onStored = null } = {}) =>
    chooseSwitch(client, {
      ...{ target, stored, next, draft, onStored },
      ...{ edits: {}, before: {}, isUndo: false, isChanged: false },
    });
  return { busy, choose };
}
