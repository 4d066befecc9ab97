// biome-ignore-all lint/a11y/useSemanticElements: rows that are placed one by one cannot be those of a table element.
// biome-ignore-all lint/a11y/useFocusableInteractive: a header that sorts nothing has nothing to be focused for.
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type MouseEvent, memo, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ProjectView } from '../../../contracts/console/project-views.ts';
import type { FlagWithStates } from '../../client/flag-list.ts';
import { useIsNarrow } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { countOf } from '../../parts/words.ts';
import { useProject } from '../../shell/project-context.ts';
import classes from './flags.module.css';

interface FlagColumn {
  /** The key of its states. */
  readonly key: string;
  readonly title: string;
}

/** A column for each environment; one column when flags have one state. */
function flagColumns({ isMultiEnvironment, environments }: ProjectView): readonly FlagColumn[] {
  if (!isMultiEnvironment) return [{ key: '0', title: 'State' }];
  return environments.map(({ number, name }) => ({ key: String(number), title: name }));
}

interface FlagLinkProps {
  readonly projectId: string;
  readonly flagId: string;
  readonly name: string;
}

/** A link without what the router's own does on each rendering: dozens of these come and go while a list scrolls. */
function FlagLink({ projectId, flagId, name }: FlagLinkProps) {
  const navigate = useNavigate();
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ to: '/projects/$projectId/flags/$flagId', params: { projectId, flagId } });
  };
  return (
    <a
      className={classes.name}
      title={name}
      href={`/console/projects/${projectId}/flags/${flagId}`}
      onClick={open}
    >
      {name}
    </a>
  );
}

/** `On 50%` or `Off`, and what else decides: a state in words, and not by colour alone. Empty without a state. */
function StateWords({ row, column }: { readonly row: FlagWithStates; readonly column: FlagColumn }) {
  const state = row.states[column.key];
  if (state === undefined) return null;
  if (!state.enabled) return <Mark tone="off">Off</Mark>;
  const cohortCount = state.cohortOverrideCount ?? row.cohortCount;
  const targets = [
    cohortCount > 0 && countOf(cohortCount, 'cohort'),
    state.audienceId !== null && 'audience',
  ];
  const words = targets.filter((part) => part !== false).join(', ');
  return (
    <span className={classes.state}>
      <Mark tone="on">On {state.trafficPercentage}%</Mark>
      {words !== '' && <span className={classes.targets}>{words}</span>}
    </span>
  );
}

const rowHeight = 52;
const tagsShownMax = 3;

interface RowProps {
  readonly row: FlagWithStates;
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
      {columns.map((column) => (
        <div key={column.key} role="cell" className={classes.cell}>
          <StateWords row={row} column={column} />
        </div>
      ))}
      <div role="cell" className={classes.when}>
        <TimeAgo isBrief at={row.updatedAt} />
      </div>
    </div>
  );
});

/** As many rows as there are flags, of which only the visible ones are rendered. */
function FlagTable({ rows }: { readonly rows: readonly FlagWithStates[] }) {
  const project = useProject();
  // The same array each time: rows that stay visible are not rendered again while others come and go.
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

function Card({ row }: { readonly row: FlagWithStates }) {
  const project = useProject();
  return (
    <div className={classes.card}>
      <FlagLink projectId={project.id} flagId={row.id} name={row.name} />
      {row.tags.length > 0 && (
        <div className={classes.below}>
          {row.tags.slice(0, 4).map((tag) => (
            <Mark key={tag} tone="off">
              {tag}
            </Mark>
          ))}
        </div>
      )}
      <dl className={classes.cardStates}>
        {flagColumns(project)
          .filter(({ key }) => row.states[key] !== undefined)
          .map((column) => (
            <div key={column.key} className={classes.cardState}>
              <dt>{column.title}</dt>
              <dd>
                <StateWords row={row} column={column} />
              </dd>
            </div>
          ))}
      </dl>
    </div>
  );
}

/** The list on a narrow screen: it scrolls with the page. */
function FlagCards({ rows }: { readonly rows: readonly FlagWithStates[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 132,
    overscan: 6,
    scrollMargin: margin,
  });
  return (
    <ul ref={list} className={classes.cards} aria-label="Flags" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, start }) => {
        const row = rows[index];
        return row === undefined ? null : (
          <li
            key={row.id}
            ref={virtual.measureElement}
            data-index={index}
            className={classes.cardPlace}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            <Card row={row} />
          </li>
        );
      })}
    </ul>
  );
}

/** A table in a wide window, and cards in a narrow one. */
export function FlagRows({ rows }: { readonly rows: readonly FlagWithStates[] }) {
  const isNarrow = useIsNarrow();
  return isNarrow ? <FlagCards rows={rows} /> : <FlagTable rows={rows} />;
}
