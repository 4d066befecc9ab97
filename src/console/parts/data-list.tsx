import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './data-list.module.css';

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Buttons at the end of a row. */
  readonly isActions?: boolean;
  /** Whether the cells are sentences: in a card they are shown below their header. */
  readonly isLong?: boolean;
}

interface DataListProps<Row> {
  /** The list's content, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row, index: number) => string;
  /** The first column names the row. */
  readonly columns: readonly Column<Row>[];
  /** Without a frame, for a list in a panel. */
  readonly isFlush?: boolean;
}

/** Whether the window is as narrow as a phone's: then tables become lists of cards. */
export function useIsNarrow(): boolean {
  return useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
}

/** A table in a wide window, and cards in a narrow one. */
export function DataList<Row>(props: DataListProps<Row>) {
  return useIsNarrow() ? <Cards {...props} /> : <Rows {...props} />;
}

function Rows<Row>({ label, rows, rowKey, columns, isFlush = false }: DataListProps<Row>) {
  return (
    <div className={classes.frame} data-flush={isFlush || undefined}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ header, isActions }) => (
              <th key={header} scope="col" data-actions={isActions || undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
              {columns.map(({ header, cell, isActions }) => (
                <td key={header} data-actions={isActions || undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards<Row>({ label, rows, rowKey, columns, isFlush = false }: DataListProps<Row>) {
  const [name, ...rest] = columns;
  return (
    <ul className={classes.cards} aria-label={label} data-flush={isFlush || undefined}>
      {rows.map((row, index) => (
        <li key={rowKey(row, index)} className={classes.card}>
          <div className={classes.cardName}>{name?.cell(row)}</div>
          <dl className={classes.facts}>
            {rest
              .filter(({ isActions }) => !isActions)
              .map(({ header, cell, isLong }) => (
                <div key={header} className={classes.fact} data-long={isLong || undefined}>
                  <dt>{header}</dt>
                  <dd>{cell(row)}</dd>
                </div>
              ))}
          </dl>
          {rest
            .filter(({ isActions }) => isActions)
            .map(({ header, cell }) => (
              <div key={header} className={classes.cardActions}>
                {cell(row)}
              </div>
            ))}
        </li>
      ))}
    </ul>
  );
}
