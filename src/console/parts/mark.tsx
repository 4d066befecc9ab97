import type { ReactNode } from 'react';
import classes from './mark.module.css';

interface MarkProps {
  readonly tone: 'on' | 'off' | 'warn' | 'accent' | 'removed';
  readonly children: ReactNode;
}

/** A word on a soft background: a state, a tag, a role. */
export function Mark({ tone, children }: MarkProps) {
  return (
    <span className={classes.mark} data-tone={tone}>
      {children}
    </span>
  );
}
