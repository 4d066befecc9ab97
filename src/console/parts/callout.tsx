import type { ReactNode } from 'react';
import { toConsoleError } from '../client/console-error.ts';
import classes from './callout.module.css';

interface CalloutProps {
  readonly tone: 'warn' | 'plain' | 'failed';
  readonly children: ReactNode;
}

/** A message that is part of the page, and stays. */
export function Callout({ tone, children }: CalloutProps) {
  return (
    <div className={classes.callout} data-tone={tone}>
      {children}
    </div>
  );
}

/** Shows an error beside what has failed; nothing without an error. */
export function Failure({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const { title, message, requestId } = toConsoleError(error);
  return (
    <div className={classes.callout} data-tone="failed" role="alert">
      <strong>{title}.</strong> {message}
      {requestId && <div className={classes.small}>Request {requestId}</div>}
    </div>
  );
}
