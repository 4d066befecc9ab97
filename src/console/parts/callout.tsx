import type { ReactNode } from 'react';
import classes from './callout.module.css';

interface CalloutProps {
  readonly tone: 'warn' | 'plain';
  readonly children: ReactNode;
}

/** A word that belongs to the page, and stays. */
export function Callout({ tone, children }: CalloutProps) {
  return (
    <div className={classes.callout} data-tone={tone}>
      {children}
    </div>
  );
}
