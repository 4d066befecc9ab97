import type { ReactNode } from 'react';
import classes from './mark.module.css';

interface MarkProps {
  /**
   * What the word is. `on` and `off`: states; `warn`: something to look at; `danger`: failed, or deleted;
   * `production`: concerns production; `info`: a neutral fact, or the member's own unsaved work; `tag`: a label that a
   * member gave.
   */
  readonly tone: 'on' | 'off' | 'warn' | 'danger' | 'production' | 'info' | 'tag';
  /** A dot before the word, for a state: filled for on, a ring otherwise. */
  readonly hasDot?: boolean;
  readonly children: ReactNode;
}

/** A word on a soft background: a state, a tag, a role. */
export function Mark({ tone, hasDot = false, children }: MarkProps) {
  return (
    <span className={classes.mark} data-tone={tone}>
      {hasDot && <span className={classes.dot} data-filled={tone === 'on' || undefined} />}
      {tone === 'tag' ? <span>{children}</span> : children}
    </span>
  );
}
