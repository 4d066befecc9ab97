// biome-ignore-all lint/a11y/useSemanticElements: rows and cells that are placed one by one cannot be those of a table element.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on a cell or the control in it, never on a row.
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  memo,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { isProduction } from '../../../domain/project/production.ts';
import { type FlagItem, listedState } from '../../client/flag-list.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { countOf } from '../../parts/words.ts';
import { FavouriteButton } from './favourite-button.tsx';
import type { FlagColumn } from './flag-columns.ts';
import { FlagLink, FlagNotes } from './flag-name.tsx';
import type { FlagRowsProps } from './flag-rows.ts';
import classes from './flags.module.css';
import {
  changedWidth,
  headHeight,
  type ListLayout,
  layoutOf,
  nameLeft,
  rowHeights,
  stateWidth,
  stuckLeft,
} from './list-layout.ts';
import { StateControl } from './state-control.tsx';
import { TableHead } from './table-head.tsx';
import { headingRow, useGridKeys } from './use-grid-keys.ts';

function useFrameWidth(frame: RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = () => setWidth(element.clientWidth);
    const observer = new ResizeObserver(measure);
    measure();
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}

/** The indexes in view, and that of the cell in the order of Tab: it keeps the focus while it is out of view. */
function useRange(also: number) {
  return useCallback(
    ({ startIndex, endIndex, overscan, count }: Range) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(count - 1, endIndex + overscan);
      const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
      if (also >= first && also <= last) return indexes;
      return also < 0 || also >= count ? indexes : [...indexes, also].sort((left, right) => left - right);
    },
    [also],
  );
}

interface Range {
  readonly startIndex: number;
  readonly endIndex: number;
  readonly overscan: number;
  readonly count: number;
}

interface RowProps extends Pick<FlagRowsProps, 'projectId' | 'canEdit' | 'onFavourite'> {
  readonly flag: FlagItem;
  readonly index: number;
  readonly start: number;
  readonly layout: ListLayout;
  /** The columns in view, of those that scroll. */
  readonly columns: readonly VirtualItem[];
  /** The column of the cell in the order of Tab; null in another row. */
  readonly tabColumn: number | null;
  readonly isFavourite: boolean;
}

interface StateCellProps extends Pick<RowProps, 'projectId' | 'canEdit' | 'flag'> {
  readonly column: FlagColumn;
  /** The column's index among all columns. */
  readonly position: number;
  readonly left: number;
  /** Next to the name, or the last of those; null: it scrolls. */
  readonly stuck: 'yes' | 'last' | null;
  readonly isTab: boolean;
}

function StateCell({ projectId, canEdit, flag, column, position, left, stuck, isTab }: StateCellProps) {
  const state = listedState(flag, column.number);
  const tabIndex = isTab ? 0 : -1;
  return (
    <div
      role="gridcell"
      aria-colindex={position + 1}
      data-column={position}
      data-stuck={stuck ?? undefined}
      data-production={(column.environment !== null && isProduction(column.environment)) || undefined}
      className={classes.cell}
      style={{ left, width: stateWidth }}
      tabIndex={canEdit && state !== undefined ? undefined : tabIndex}
    >
      {state !== undefined && <StateControl {...{ projectId, canEdit, flag, column, state, tabIndex }} />}
    </div>
  );
}

const Row = memo(function Row(props: RowProps) {
  const { projectId, canEdit, flag, index, start, layout, columns, tabColumn, isFavourite } = props;
  const { nameWidth, stuck, free } = layout;
  const changedPosition = layout.order.length - 1;
  const stateCell = (column: FlagColumn, position: number, left: number, stuck: StateCellProps['stuck']) => (
    <StateCell
      key={column.number}
      {...{ projectId, canEdit, flag, column, position, left, stuck }}
      isTab={tabColumn === position}
    />
  );
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      className={classes.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="gridcell" aria-colindex={1} data-column={0} data-stuck="yes" className={classes.starCell}>
        <FavouriteButton
          {...{ flag, isFavourite }}
          tabIndex={tabColumn === 0 ? 0 : -1}
          onFavourite={props.onFavourite}
        />
      </div>
      <div
        role="rowheader"
        aria-colindex={2}
        data-column={1}
        data-stuck={stuck.length === 0 ? 'last' : 'yes'}
        className={classes.nameCell}
        style={{ left: nameLeft, width: nameWidth }}
      >
        <FlagLink projectId={projectId} flag={flag} tabIndex={tabColumn === 1 ? 0 : -1} />
        <FlagNotes flag={flag} />
      </div>
      {stuck.map((column, at) =>
        stateCell(column, at + 2, stuckLeft(nameWidth, at), at === stuck.length - 1 ? 'last' : 'yes'),
      )}
      {columns.map(({ index, start }) => {
        const column = free[index];
        return column === undefined ? null : stateCell(column, index + stuck.length + 2, start, null);
      })}
      <div
        role="gridcell"
        aria-colindex={changedPosition + 1}
        data-column={changedPosition}
        data-stuck="end"
        className={classes.when}
        style={{ width: changedWidth }}
        tabIndex={tabColumn === changedPosition ? 0 : -1}
      >
        <TimeAgo isBrief at={flag.updatedAt} />
      </div>
    </div>
  );
});

/** As many rows and columns as there are flags and environments, of which only the visible ones are rendered. */
export function FlagTable(props: FlagRowsProps) {
  const { rows, columns, sought, density, view, favourites, projectId, canEdit, onFavourite } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useFrameWidth(frame);
  const layout = useMemo(() => layoutOf(columns, width), [columns, width]);
  const rowHeight = rowHeights[density];
  // The keys need the virtualizers, and these the cell of the keys.
  const virtual = useRef<{ rows: Scroller; columns: Scroller } | null>(null);
  const keys = useGridKeys({
    frame,
    rows,
    order: layout.order,
    rowsOfPage: Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / rowHeight) - 2),
    view,
    show: (cell) => {
      if (cell.row !== headingRow) virtual.current?.rows.scrollToIndex(cell.row);
      const index = cell.column - 2 - layout.stuck.length;
      if (index >= 0 && index < layout.free.length) virtual.current?.columns.scrollToIndex(index);
    },
  });
  const rowVirtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    paddingStart: headHeight,
    scrollPaddingStart: headHeight,
    initialOffset: () => view.top,
    rangeExtractor: useRange(keys.row),
    overscan: 8,
  });
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: layout.free.length,
    getScrollElement: () => frame.current,
    estimateSize: () => stateWidth,
    paddingStart: layout.freeStart,
    paddingEnd: changedWidth,
    scrollPaddingStart: layout.freeStart,
    scrollPaddingEnd: changedWidth,
    initialOffset: () => view.left,
    rangeExtractor: useRange(keys.column - 2 - layout.stuck.length),
    overscan: 1,
  });
  virtual.current = { rows: rowVirtual, columns: columnVirtual };
  // Other filters begin at their first hit.
  useLayoutEffect(() => {
    frame.current?.scrollTo({ top: view.top });
  }, [view]);
  const soughtIndex = layout.free.findIndex(({ number }) => number === sought);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each environment that is looked for.
  useLayoutEffect(() => {
    if (soughtIndex !== -1) columnVirtual.scrollToIndex(soughtIndex, { align: 'center' });
  }, [sought]);
  const shownColumns = columnVirtual.getVirtualItems();
  const total = rowVirtual.getTotalSize();
  const frameStyle = {
    '--list-height': `${total + 2 + (layout.width > width ? 16 : 0)}px`,
    '--row-height': `${rowHeight}px`,
  } as CSSProperties;
  const printed = rowVirtual.getVirtualItems().length;
  return (
    <>
      <p className={classes.printed}>
        {printed} of {countOf(rows.length, 'flag')} and {shownColumns.length + layout.stuck.length} of{' '}
        {countOf(columns.length, 'column')} of states are printed: those that were in view.
      </p>
      <div
        ref={frame}
        data-flag-list
        className={classes.frame}
        data-density={density}
        style={frameStyle}
        onScroll={({ currentTarget }) => {
          view.top = currentTarget.scrollTop;
          view.left = currentTarget.scrollLeft;
        }}
      >
        <div
          role="grid"
          aria-label="Flags"
          aria-rowcount={rows.length + 1}
          aria-colcount={layout.order.length}
          className={classes.table}
          style={{ height: total, width: layout.width }}
          onKeyDown={keys.onKeyDown}
          onFocus={keys.onFocus}
          onBlur={keys.onBlur}
        >
          <TableHead
            {...{ layout, columns: shownColumns, sought, sort: props.sort, onSort: props.onSort }}
            tabColumn={keys.row === headingRow ? keys.column : null}
          />
          <div role="rowgroup">
            {rowVirtual.getVirtualItems().map(({ index, start }) => {
              const flag = rows[index];
              if (flag === undefined) return null;
              return (
                <Row
                  key={flag.id}
                  {...{ projectId, canEdit, flag, index, start, layout, columns: shownColumns, onFavourite }}
                  tabColumn={keys.row === index ? keys.column : null}
                  isFavourite={favourites.has(flag.id)}
                />
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

interface Scroller {
  scrollToIndex(index: number): void;
}
