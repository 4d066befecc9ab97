import type { Density } from '../../parts/preferences.ts';
import type { FlagColumn } from './flag-columns.ts';
import type { ListCell } from './list-view.ts';

/** Sizes in pixels. */
export const rowHeights: Readonly<Record<Density, number>> = { comfortable: 56, compact: 38 };
export const headHeight = 42;
const favouriteWidth = 40;
const nameWidthMin = 272;
/** Of a wide list, names and their descriptions have this part. */
const nameShare = 0.3;
export const stateWidth = 164;
export const changedWidth = 132;
/** Pinned columns leave this part of the width to the others. */
const freeShare = 0.35;

/** Where the columns of the table are. */
export interface ListLayout {
  readonly nameWidth: number;
  readonly width: number;
  /** Columns that stay next to the name, and where the others begin. */
  readonly stuck: readonly FlagColumn[];
  readonly freeStart: number;
  readonly free: readonly FlagColumn[];
  /** Every column from left to right, as keys move through them. */
  readonly order: readonly ListCell['column'][];
}

/** @param frameWidth of the part of the table that is visible */
export function layoutOf(columns: readonly FlagColumn[], frameWidth: number): ListLayout {
  const others = favouriteWidth + columns.length * stateWidth + changedWidth;
  const nameWidth = Math.max(nameWidthMin, Math.floor(frameWidth * nameShare), frameWidth - others);
  const room = frameWidth * (1 - freeShare) - favouriteWidth - nameWidth - changedWidth;
  const pinned = columns.filter(({ isPinned }) => isPinned).length;
  const stuckCount = Math.max(0, Math.min(pinned, Math.floor(room / stateWidth)));
  return {
    nameWidth,
    width: others + nameWidth,
    stuck: columns.slice(0, stuckCount),
    freeStart: stuckLeft(nameWidth, stuckCount),
    free: columns.slice(stuckCount),
    order: ['favourite', 'name', ...columns.map(({ number }) => number), 'changed'],
  };
}

export const nameLeft = favouriteWidth;

/** The left edge of a pinned column. */
export function stuckLeft(nameWidth: number, index: number): number {
  return favouriteWidth + nameWidth + index * stateWidth;
}
