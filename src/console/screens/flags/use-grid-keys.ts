import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { ListCell, ListView } from './list-view.ts';

/** The header's row. */
export const headingRow = -1;

interface Cell {
  readonly row: number;
  /** Its index in the order of columns. */
  readonly column: number;
}

interface GridOptions {
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Ids of the rows, in their order. */
  readonly rows: readonly { readonly id: string }[];
  readonly order: readonly ListCell['column'][];
  readonly rowsOfPage: number;
  readonly view: ListView;
  /** Brings a cell into view. */
  readonly show: (cell: Cell) => void;
}

function target({ row, column }: Cell, event: KeyboardEvent, last: Cell, rowsOfPage: number): Cell | null {
  const isWhole = event.ctrlKey || event.metaKey;
  const cells: Readonly<Record<string, Cell>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - rowsOfPage, column },
    PageDown: { row: row + rowsOfPage, column },
    Home: { row: isWhole ? headingRow : row, column: 0 },
    End: { row: isWhole ? last.row : row, column: last.column },
  };
  const wanted = cells[event.key];
  if (wanted === undefined) return null;
  return {
    row: Math.max(headingRow, Math.min(last.row, wanted.row)),
    column: Math.max(0, Math.min(last.column, wanted.column)),
  };
}

/**
 * The keys of a grid: one cell is in the order of Tab, and arrow keys move from cell to cell. The cell belongs to its flag
 * and environment, wherever these are shown.
 */
export function useGridKeys({ frame, rows, order, rowsOfPage, view, show }: GridOptions) {
  const [cell, setCell] = useState<ListCell>(view.cell ?? { flagId: rows[0]?.id ?? null, column: 'name' });
  const isRestored = useRef(view.cell !== null);
  const isWanted = useRef(false);
  const hasFocus = useRef(false);
  const lastRow = useRef(0);
  const foundRow = cell.flagId === null ? headingRow : rows.findIndex(({ id }) => id === cell.flagId);
  // The flag has left the list: the next one has its index.
  const isGone = foundRow === -1 && cell.flagId !== null;
  const row = isGone ? Math.min(lastRow.current, rows.length - 1) : foundRow;
  const column = Math.max(0, order.indexOf(cell.column));
  const keep = (next: Cell) => {
    const kept = { flagId: rows[next.row]?.id ?? null, column: order[next.column] ?? 'name' };
    view.cell = kept;
    setCell(kept);
  };
  // After each rendering, until the cell is there. Who has the focus elsewhere keeps it.
  useLayoutEffect(() => {
    if (isRestored.current && document.activeElement !== document.body) isRestored.current = false;
    if (isGone && hasFocus.current && document.activeElement === document.body) isWanted.current = true;
    lastRow.current = row;
    if (!isWanted.current && !isRestored.current) return;
    const found = frame.current?.querySelector(`[data-row="${row}"] [data-column="${column}"]`);
    const control = found?.querySelector('a, button') ?? found;
    if (!(control instanceof HTMLElement)) return;
    control.focus({ preventScroll: true });
    isWanted.current = false;
    isRestored.current = false;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.shiftKey) return;
    const next = target(
      { row, column },
      event,
      { row: rows.length - 1, column: order.length - 1 },
      rowsOfPage,
    );
    if (next === null) return;
    event.preventDefault();
    isWanted.current = true;
    show(next);
    keep(next);
  };
  const onFocus = ({ target }: FocusEvent) => {
    hasFocus.current = true;
    const at = target.closest<HTMLElement>('[data-column]');
    const of = target.closest<HTMLElement>('[data-row]');
    if (at !== null && of !== null)
      keep({ row: Number(of.dataset['row']), column: Number(at.dataset['column']) });
  };
  // React does not report the end of the focus of an element that it removes.
  const onBlur = () => {
    hasFocus.current = false;
  };
  return { row, column, onKeyDown, onFocus, onBlur };
}
