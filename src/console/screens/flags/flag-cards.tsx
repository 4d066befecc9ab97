import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type FlagItem, listedState } from '../../client/flag-list.ts';
import { countOf } from '../../parts/words.ts';
import { ColumnName } from './column-name.tsx';
import { FavouriteButton } from './favourite-button.tsx';
import type { FlagColumn } from './flag-columns.ts';
import { FlagLink, FlagNotes } from './flag-name.tsx';
import type { FlagRowsProps } from './flag-rows.ts';
import classes from './flags.module.css';
import { StateControl } from './state-control.tsx';

interface StatesProps {
  readonly projectId: string;
  readonly flag: FlagItem;
  readonly columns: readonly FlagColumn[];
  readonly canEdit: boolean;
}

function States({ projectId, flag, columns, canEdit }: StatesProps) {
  return (
    <dl className={classes.cardStates}>
      {columns.map((column) => {
        const state = listedState(flag, column.number);
        if (state === undefined) return null;
        return (
          <div key={column.number} className={classes.cardState}>
            <dt>
              <ColumnName column={column} />
            </dt>
            <dd>
              <StateControl {...{ projectId, canEdit, flag, column, state }} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface CardProps extends StatesProps, Pick<FlagRowsProps, 'onFavourite'> {
  /** The environments that are shown at once; the others open. */
  readonly first: readonly FlagColumn[];
  readonly isFavourite: boolean;
}

const Card = memo(function Card({ first, columns, isFavourite, onFavourite, ...props }: CardProps) {
  const { flag } = props;
  const others = columns.filter((column) => !first.includes(column));
  const onCount = others.filter(({ number }) => listedState(flag, number)?.enabled === true).length;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.card}>
      <div className={classes.cardHead}>
        <FlagLink projectId={props.projectId} flag={flag} />
        <FavouriteButton {...{ flag, isFavourite, onFavourite }} />
      </div>
      <FlagNotes flag={flag} />
      <States {...props} columns={first} />
      {others.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className={classes.others}>
            {countOf(others.length, 'other environment')}, {onCount === 0 ? 'all off' : `${onCount} on`}
          </summary>
          {isOpen && <States {...props} columns={others} />}
        </details>
      )}
    </div>
  );
});

const cardHeight = 132;

/** The list on a narrow screen, production first. It scrolls with the page. */
export function FlagCards(props: FlagRowsProps) {
  const { rows, columns, sought, production, view, favourites, projectId, canEdit, onFavourite } = props;
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => cardHeight,
    overscan: 6,
    scrollMargin: margin,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const shown = useRef(view);
  // As it was left; other filters begin at their first hit.
  useLayoutEffect(() => {
    if (view.top > 0 || shown.current !== view) window.scrollTo({ top: view.top });
    shown.current = view;
  }, [view]);
  useEffect(() => {
    const note = () => {
      view.top = window.scrollY;
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, [view]);
  const live = columns.filter(({ number }) => production.includes(number) || number === sought);
  const first = live.length > 0 ? live : columns.slice(0, 1);
  return (
    <ul
      ref={list}
      data-flag-list
      className={classes.cards}
      aria-label="Flags"
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ index, start }) => {
        const flag = rows[index];
        return flag === undefined ? null : (
          <li
            key={flag.id}
            ref={virtual.measureElement}
            data-index={index}
            className={classes.cardPlace}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            <Card
              {...{ projectId, canEdit, flag, columns, first, onFavourite }}
              isFavourite={favourites.has(flag.id)}
            />
          </li>
        );
      })}
    </ul>
  );
}
