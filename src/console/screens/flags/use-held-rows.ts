import { useEffect, useMemo, useRef, useState } from 'react';
import type { FlagItem, KnownFlags } from '../../client/flag-list.ts';
import { inShownOrder } from './filter-flags.ts';

const list = '[data-flag-list]';
/** A question that was asked from the list gives the focus back to it. */
const question = '[role="dialog"], [role="alertdialog"]';

function isWithin(target: EventTarget | null, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

/** Whether the list has the pointer or the focus. */
function useIsAtList(): boolean {
  const [hasPointer, setPointer] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  useEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    const follow = ({ target }: Event) =>
      setFocus((was) => isWithin(target, list) || (was && isWithin(target, question)));
    // A touch has no pointer that stays.
    document.addEventListener(
      'pointerover',
      ({ target, pointerType }) => setPointer(pointerType !== 'touch' && isWithin(target, list)),
      { signal },
    );
    document.documentElement.addEventListener('pointerleave', () => setPointer(false), { signal });
    document.addEventListener('focusin', follow, { signal });
    document.addEventListener('pointerdown', follow, { signal });
    return () => over.abort();
  }, []);
  return hasPointer || hasFocus;
}

/**
 * Keeps the order of rows while the list has the pointer or the focus: a change, also by another member, must not put
 * another flag under the pointer.
 *
 * @param wish another object when the member has chosen other filters or another order, which is shown at once
 */
export function useHeldRows(
  rows: readonly FlagItem[],
  known: KnownFlags | undefined,
  wish: object,
): readonly FlagItem[] {
  const isAtList = useIsAtList();
  const shown = useRef<{ readonly wish: object; readonly rows: readonly FlagItem[] } | null>(null);
  const held = useMemo(() => {
    const before = shown.current;
    if (!isAtList || known?.isWhole !== true || before === null || before.wish !== wish) return rows;
    return inShownOrder(rows, before.rows, known.flags);
  }, [rows, known, wish, isAtList]);
  useEffect(() => {
    shown.current = { wish, rows: held };
  }, [held, wish]);
  return held;
}
