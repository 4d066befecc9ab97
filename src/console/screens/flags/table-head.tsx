// biome-ignore-all lint/a11y/useSemanticElements: the header of a grid whose cells are placed one by one.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus is on the button in a header.
import type { VirtualItem } from '@tanstack/react-virtual';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import type { ReactNode } from 'react';
import { ColumnName } from './column-name.tsx';
import type { FlagSort } from './filter-flags.ts';
import type { FlagColumn } from './flag-columns.ts';
import classes from './flags.module.css';
import { changedWidth, headHeight, type ListLayout, nameLeft, stateWidth, stuckLeft } from './list-layout.ts';
import { headingRow } from './use-grid-keys.ts';

/** The first press sorts, the second reverses the order, the third returns to names. */
function nextSort(by: FlagSort['by'], sort: FlagSort): FlagSort {
  if (sort.by !== by) return { by, isReversed: by === 'name' };
  if (by === 'name') return { by, isReversed: !sort.isReversed };
  return sort.isReversed ? { by: 'name', isReversed: false } : { by, isReversed: true };
}

interface HeadCellProps {
  readonly by: FlagSort['by'];
  readonly position: number;
  /** Undefined at the end of the row. */
  readonly left: number | undefined;
  readonly width: number;
  /** Next to the name, the last of those, or at the end of the row; null: it scrolls. */
  readonly stuck: 'yes' | 'last' | 'end' | null;
  readonly isTab: boolean;
  /** The environment that the member has looked for. */
  readonly isSought: boolean;
  readonly sort: FlagSort;
  readonly onSort: (sort: FlagSort) => void;
  readonly title?: string;
  readonly children: ReactNode;
}

function HeadCell(props: HeadCellProps) {
  const { by, position, left, width, stuck, isTab, isSought, sort, onSort, title, children } = props;
  const isSorted = sort.by === by;
  // Names begin with A; states with those that are on for the most; changes with the newest.
  const isAscending = (by === 'name') !== sort.isReversed;
  return (
    <div
      role="columnheader"
      aria-colindex={position + 1}
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
      data-column={position}
      aria-current={isSought || undefined}
      data-stuck={stuck ?? undefined}
      className={classes.headCell}
      style={{ left, width }}
    >
      <button
        type="button"
        className={classes.sort}
        title={title}
        tabIndex={isTab ? 0 : -1}
        onClick={() => onSort(nextSort(by, sort))}
      >
        <span className={classes.sortName}>{children}</span>
        {isSorted && (isAscending ? <ArrowUp aria-hidden="true" /> : <ArrowDown aria-hidden="true" />)}
      </button>
    </div>
  );
}

interface TableHeadProps extends Pick<HeadCellProps, 'sort' | 'onSort'> {
  readonly layout: ListLayout;
  readonly columns: readonly VirtualItem[];
  readonly sought: number | null;
  readonly tabColumn: number | null;
}

/** The row of headings, which stays at the top; each of them sorts. */
export function TableHead({ layout, columns, sought, tabColumn, sort, onSort }: TableHeadProps) {
  const { nameWidth, stuck, free, order } = layout;
  const cell = (
    by: FlagSort['by'],
    position: number,
    left: number | undefined,
    width: number,
    stuck: HeadCellProps['stuck'],
  ) => ({
    ...{ by, position, left, width, stuck, sort, onSort },
    isTab: tabColumn === position,
    isSought: by === sought,
  });
  const stateHead = (column: FlagColumn, position: number, left: number, stuck: HeadCellProps['stuck']) => (
    <HeadCell
      key={column.number}
      {...cell(column.number, position, left, stateWidth, stuck)}
      {...(column.environment === null ? {} : { title: column.environment.name })}
    >
      <ColumnName column={column} />
    </HeadCell>
  );
  return (
    <div
      role="row"
      aria-rowindex={1}
      data-row={headingRow}
      className={classes.headRow}
      style={{ height: headHeight }}
    >
      <div
        role="columnheader"
        aria-colindex={1}
        data-column={0}
        data-stuck="yes"
        className={classes.starCell}
        tabIndex={tabColumn === 0 ? 0 : -1}
      >
        <span className="heard">Favourite</span>
      </div>
      <HeadCell {...cell('name', 1, nameLeft, nameWidth, stuck.length === 0 ? 'last' : 'yes')}>Flag</HeadCell>
      {stuck.map((column, at) =>
        stateHead(column, at + 2, stuckLeft(nameWidth, at), at === stuck.length - 1 ? 'last' : 'yes'),
      )}
      {columns.map(({ index, start }) => {
        const column = free[index];
        return column === undefined ? null : stateHead(column, index + stuck.length + 2, start, null);
      })}
      <HeadCell {...cell('changed', order.length - 1, undefined, changedWidth, 'end')}>Changed</HeadCell>
    </div>
  );
}
