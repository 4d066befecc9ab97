// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed one by one cannot be those of a table element.
// biome-ignore-all lint/a11y/useFocusableInteractive: a header that sorts nothing has nothing to be focused for.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, memo, useMemo, useRef } from 'react';
import type { FlagRow } from '../../../contracts/console/flag-views.ts';
import { Mark } from '../../parts/mark.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useProject } from '../../shell/project-context.ts';
import { type FlagColumn, flagColumns } from './flag-columns.ts';
import { FlagLink } from './flag-link.tsx';
import classes from './flags.module.css';
import { StateWords } from './state-words.tsx';

const rowHeight = 52;
const tagsShownMax = 3;

interface RowProps {
  readonly row: FlagRow;
  readonly columns: readonly FlagColumn[];
  readonly index: number;
  readonly start: number;
  readonly projectId: string;
}

function NameCell({ row, projectId }: Pick<RowProps, 'row' | 'projectId'>) {
  return (
    <div role="cell" className={classes.nameCell}>
      <FlagLink projectId={projectId} flagId={row.id} name={row.name} />
      <div className={classes.below}>
        {row.tags.slice(0, tagsShownMax).map((tag) => (
          <Mark key={tag} tone="off">
            {tag}
          </Mark>
        ))}
        {row.tags.length > tagsShownMax && <span>+{row.tags.length - tagsShownMax}</span>}
        {row.description && <span className={classes.description}>{row.description}</span>}
      </div>
    </div>
  );
}

const Row = memo(function Row({ row, columns, index, start, projectId }: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <NameCell row={row} projectId={projectId} />
      {columns.map(({ key }) => {
        const state = row.states[key];
        const cohorts = state?.cohortOverrideCount ?? row.cohortCount;
        return (
          <div key={key} role="cell" className={classes.cell}>
            {state !== undefined && (
              <StateWords {...state} cohortCount={cohorts} hasAudience={state.audienceId !== null} />
            )}
          </div>
        );
      })}
      <div role="cell" className={classes.when}>
        <TimeAgo at={row.updatedAt} />
      </div>
    </div>
  );
});

/** As many rows as there are flags, of which only those in sight are drawn. */
export function FlagTable({ rows }: { readonly rows: readonly FlagRow[] }) {
  const project = useProject();
  // The same array each time: rows that stay in sight are not drawn anew while others come and go.
  const columns = useMemo(() => flagColumns(project), [project]);
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const style = { '--columns': columns.length } as CSSProperties;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <div ref={frame} className={classes.frame} tabIndex={0} role="region" aria-label="Flags">
      <div
        role="table"
        aria-label="Flags"
        aria-rowcount={rows.length + 1}
        className={classes.table}
        style={style}
      >
        <div role="row" aria-rowindex={1} className={classes.headRow}>
          <div role="columnheader">Flag</div>
          {columns.map(({ key, title }) => (
            <div key={key} role="columnheader">
              {title}
            </div>
          ))}
          <div role="columnheader">Changed</div>
        </div>
        <div role="rowgroup" className={classes.rows} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return <Row key={row.id} {...{ row, columns, index, start }} projectId={project.id} />;
          })}
        </div>
      </div>
    </div>
  );
}
