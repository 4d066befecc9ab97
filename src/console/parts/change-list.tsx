import { useState } from 'react';
import classes from './change-list.module.css';
import { fieldWord, listChange, type ShownChange, splitField, valueWords } from './change-words.ts';
import { EnvironmentName } from './environment-name.tsx';
import { SafeName, SafeText } from './safe-name.tsx';
import { SmallButton } from './small-button.tsx';
import { numberWords } from './words.ts';

const itemsShownMax = 20;

interface ItemsProps {
  readonly items: readonly string[];
  /** Number of further ones. */
  readonly more: number;
  readonly sign: '+' | '−';
}

function Items({ items, more, sign }: ItemsProps) {
  const kind = sign === '+' ? 'added' : 'removed';
  const shown = items.slice(0, itemsShownMax);
  const rest = items.length - shown.length + more;
  return (
    <>
      {shown.map((item) => (
        <span key={item} className={classes.value} data-kind={kind}>
          <span aria-hidden="true">{sign} </span>
          <span className="heard">{kind} </span>
          <SafeName name={item} />
        </span>
      ))}
      {rest > 0 && (
        <span className={classes.more}>
          and {numberWords(rest)} more {kind}
        </span>
      )}
    </>
  );
}

/** A change of the whole list that its items do not show. @param isSame no item was added or removed */
function listNote({ field, before, after, totals }: ShownChange, isSame: boolean): string | null {
  if (field === 'cohortOverride') {
    if (after === null) return 'inherits the flag-wide list';
    if (before === null) {
      const total = totals?.after ?? (after as readonly string[]).length;
      return `own list of ${numberWords(total)}`;
    }
  }
  if (!isSame) return null;
  return before === null ? 'none' : 'order changed';
}

/** A switch's new position has the colour that it has everywhere: green is on, and grey is off. */
function switchKind(field: string, value: unknown): 'on' | 'off' | null {
  if (field !== 'enabled' && field !== 'evaluationAccess') return null;
  return value === true ? 'on' : 'off';
}

interface ChangeProps {
  readonly change: ShownChange;
  readonly audienceName: (id: string) => string;
}

function Values({ change, audienceName }: ChangeProps) {
  const { field, before, after } = change;
  const list = listChange(change);
  if (list !== null) {
    const note = listNote(change, list.added.length + list.removed.length === 0);
    return (
      <>
        {note && <span className={classes.more}>{note}</span>}
        <Items items={list.removed} more={list.removedMore} sign="−" />
        <Items items={list.added} more={list.addedMore} sign="+" />
      </>
    );
  }
  const isNew = before === null && field !== 'audienceId';
  return (
    <>
      {!isNew && (
        <>
          <span className="heard">from </span>
          <span className={classes.value} data-kind="removed">
            <SafeText text={valueWords(field, before, audienceName)} />
          </span>
          <span className={classes.arrow} aria-hidden="true">
            →
          </span>
          <span className="heard"> to </span>
        </>
      )}
      <span className={classes.value} data-kind={switchKind(field, after) ?? 'added'}>
        <SafeText text={valueWords(field, after, audienceName)} />
      </span>
    </>
  );
}

interface ChangeListProps {
  readonly changes: readonly ShownChange[];
  readonly audienceName?: ((id: string) => string) | undefined;
  /** A longer diff is folded: as many lines, and a button for the others. */
  readonly foldedTo?: number;
  /** Without lines between the changes, for a list of diffs. */
  readonly isCompact?: boolean;
}

/** A diff: of a draft under review, of an audit entry and of a conflict. */
export function ChangeList(props: ChangeListProps) {
  const { changes, audienceName = (id) => id, foldedTo = changes.length, isCompact } = props;
  const [isOpen, setOpen] = useState(false);
  const isFolded = !isOpen && changes.length > foldedTo;
  const shown = isFolded ? changes.slice(0, foldedTo) : changes;
  return (
    <>
      <ul className={classes.list} data-compact={isCompact || undefined}>
        {shown.map(splitField).map((change) => (
          <li key={`${change.environment}/${change.field}`} className={classes.change}>
            <span className={classes.what}>
              {fieldWord(change.field)}
              {change.environment !== null && (
                <span className={classes.environment}>
                  {' in '}
                  <EnvironmentName environment={{ name: change.environment, isProtected: false }} />
                </span>
              )}
            </span>
            <span className={classes.values}>
              <Values change={change} audienceName={audienceName} />
            </span>
          </li>
        ))}
      </ul>
      {isFolded && (
        <SmallButton onClick={() => setOpen(true)}>
          Show {foldedTo === 0 ? '' : 'all '}
          {changes.length} {isCompact && foldedTo === 0 ? 'values' : 'changes'}
        </SmallButton>
      )}
    </>
  );
}
