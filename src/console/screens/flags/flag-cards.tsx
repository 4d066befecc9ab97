import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import type { FlagRow } from '../../../contracts/console/flag-views.ts';
import { Mark } from '../../parts/mark.tsx';
import { useProject } from '../../shell/project-context.ts';
import { flagColumns } from './flag-columns.ts';
import { FlagLink } from './flag-link.tsx';
import classes from './flags.module.css';
import { StateWords } from './state-words.tsx';

function Card({ row }: { readonly row: FlagRow }) {
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
        {flagColumns(project).map(({ key, title }) => {
          const state = row.states[key];
          const cohorts = state?.cohortOverrideCount ?? row.cohortCount;
          return state === undefined ? null : (
            <div key={key} className={classes.cardState}>
              <dt>{title}</dt>
              <dd>
                <StateWords {...state} cohortCount={cohorts} hasAudience={state.audienceId !== null} />
              </dd>
            </div>
          );
        })}
      </dl>
    </div>
  );
}

/** The list on a narrow screen: it scrolls with the page. */
export function FlagCards({ rows }: { readonly rows: readonly FlagRow[] }) {
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
