import type { QueryClient } from '@tanstack/react-query';
import type { ConsoleFlagView, FlagChangeResult } from '../../contracts/console/flag-views.ts';
import { call } from '../client/call.ts';
import { ConsoleError, conflictOf, isGone, isUndecided } from '../client/console-error.ts';
import { audiencesQuery } from '../client/queries.ts';
import { storeFlag } from '../client/store-flag.ts';
import { dismissFailure, showDone, showFailure } from '../parts/notices.tsx';
import { SharedValue } from '../parts/shared-value.ts';
import { visibleName } from '../parts/visible-name.ts';
import { countOf } from '../parts/words.ts';
import { placeWords, switchedWords } from './effect-words.ts';
import {
  isStillMeant,
  keysOf,
  questionOf,
  type StoredSwitch,
  type SwitchQuestion,
  type SwitchWish,
  storedSwitch,
  switchBody,
  switchKey,
} from './switch-rules.ts';

/** Values that are being sent, by the switch's key. */
export const pendingSwitches = new SharedValue<ReadonlyMap<string, boolean>>(new Map());

/** A wish that waits for a person's answer. */
export interface AskedWish {
  readonly wish: SwitchWish;
  readonly question: NonNullable<SwitchQuestion>;
}

/** At most one question is open. It outlives the control that was used: an Undo may come from another page. */
export const askedWish = new SharedValue<AskedWish | null>(null);

/** Acts at once, or asks first. A switch that is being sent is not sent again. */
export function chooseSwitch(client: QueryClient, wish: SwitchWish): void {
  if (pendingSwitches.present.has(switchKey(wish.target))) return;
  const question = questionOf(wish);
  if (question === null) void sendSwitch(client, wish);
  else askedWish.set({ wish, question });
}

/** A switch fails when other changes overtake it more often than this. */
const attemptsMax = 4;

/** Sends a switch, and says what is stored then. */
export async function sendSwitch(client: QueryClient, wish: SwitchWish): Promise<void> {
  const key = switchKey(wish.target);
  if (pendingSwitches.present.has(key)) return;
  setPending(key, wish.next);
  dismissFailure(key);
  try {
    const result = await stored(wish);
    if (result === null) return;
    const { flag } = result;
    await storeFlag(client, flag);
    wish.onStored?.(flag, keysOf(wish));
    showResult(client, wish, result);
  } catch (error) {
    showFailed(error, wish, isGone(error) ? undefined : () => void sendSwitch(client, wish));
    if (isUndecided(error)) void client.invalidateQueries();
  } finally {
    setPending(key, null);
  }
}

function showFailed(error: unknown, { target, next }: SwitchWish, retry?: () => void): void {
  const place = placeWords(target.environment?.name ?? null);
  const what = `Switching ${visibleName(target.flagName)} ${next ? 'on' : 'off'}${place}`;
  showFailure(error, { what, about: switchKey(target), ...(retry === undefined ? {} : { retry }) });
}

function setPending(key: string, next: boolean | null): void {
  const others = [...pendingSwitches.present].filter(([other]) => other !== key);
  pendingSwitches.set(new Map(next === null ? others : [...others, [key, next]]));
}

/**
 * Sends a wish. If another change was saved first, a switch alone is applied on top of it, provided that its effect is
 * still the one that was shown. Otherwise the member is asked with the new effect.
 *
 * @returns what is then stored; null if nothing was sent to the end
 */
async function stored(wish: SwitchWish): Promise<FlagChangeResult | null> {
  const { target } = wish;
  let { revision } = wish.stored;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { projectId, flagId } = target;
      return await call('edit-flag', { projectId, flagId }, switchBody(wish, revision));
    } catch (error) {
      const current = conflictOf<ConsoleFlagView>(error);
      const present = current === null ? null : storedSwitch(current, target);
      if (current === null || present === null || attempt === attemptsMax) throw error;
      if (!mayRepeat(wish, current, present)) return null;
      revision = present.revision;
    }
  }
}

/** A switch with further fields is not repeated: others may have changed the same ones. */
function mayRepeat(wish: SwitchWish, current: ConsoleFlagView, present: StoredSwitch): boolean {
  const isAlone = Object.keys(wish.edits).length === 0;
  if (isAlone && isStillMeant(wish, present)) return true;
  if (wish.draft !== null || wish.isUndo) {
    wish.draft?.onConflict(current);
    const lost = wish.isUndo ? 'Nothing was undone.' : 'Nothing was saved or switched.';
    showFailed(new ConsoleError(409, 'Changed meanwhile', lost, null), wish);
    return false;
  }
  const again = { ...wish, stored: present, edits: {}, before: {}, isChanged: true };
  askedWish.set({ wish: again, question: questionOf(again) ?? 'protected' });
  return false;
}

/**
 * Says what is stored then, with an Undo that takes back exactly what was sent. Without a change there is nothing to take
 * back: an Undo would revert another member's change.
 */
function showResult(client: QueryClient, wish: SwitchWish, { changed, flag }: FlagChangeResult): void {
  const { target, next, edits, before, draft } = wish;
  const present = storedSwitch(flag, target);
  if (present === null) return;
  const { audienceId } = present.state;
  const known = client.getQueryData(audiencesQuery(target.projectId).queryKey)?.audiences ?? [];
  const words = switchedWords(flag.name, present.state, {
    cohortCount: present.cohortCount,
    environmentName: target.environment?.name ?? null,
    audienceName: known.find(({ id }) => id === audienceId)?.name ?? null,
    wasSo: !changed,
  });
  const count = Object.keys(edits).length;
  const saved = draft === null || count === 0 ? '' : `Saved ${countOf(count, 'change')}. `;
  const undo = () =>
    chooseSwitch(client, {
      ...wish,
      ...{ stored: present, next: !next, edits: before, before: edits },
      ...{ isUndo: true, isChanged: false, draft: null },
    });
  if (changed) showDone(`${saved}${words}`, undo);
  else showDone(words);
}
