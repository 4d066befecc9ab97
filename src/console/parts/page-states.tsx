import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isUnreadable, toConsoleError } from '../client/console-error.ts';
import { usePageTitle } from './page-head.tsx';
import classes from './page-states.module.css';

/** A pole with a flag that is being raised. */
function LoadingPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.ground} d="M14 88h92" />
      <path className={classes.pole} d="M40 88V10" />
      <path className={classes.rising} d="M42 46l44 12-10 3 9 8-43 9z" />
      <path className={classes.faint} d="M42 14l44 12-10 3 9 8-43 9z" />
    </svg>
  );
}

/** A bare pole on a hill: nothing has been raised yet. */
function EmptyPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.hill} d="M6 88c22-20 46-26 62-20s30 12 46 20z" />
      <path className={classes.pole} d="M60 68V10" />
      <path className={classes.faint} d="M62 14l42 11-10 3 9 7-41 8z" />
      <circle className={classes.sun} cx="26" cy="26" r="8" />
    </svg>
  );
}

/** A broken pole, with its flag on the ground. */
function ErrorPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.ground} d="M14 88h92" />
      <path className={classes.pole} d="M34 88V52l5-6" />
      <path className={classes.pole} d="M42 50l40 30" />
      <path className={classes.fallen} d="M80 78l22-20-2 9 10 1-16 20z" />
      <path className={classes.spark} d="M44 34l3-10M54 38l8-8M32 36l-5-9" />
    </svg>
  );
}

/** Appears after a moment: a quick answer needs no picture. */
export function PageLoading({ what }: { readonly what: string }) {
  return (
    <div className={`${classes.state} ${classes.late}`} role="status">
      <LoadingPicture />
      <p className={classes.title}>Loading {what} …</p>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export function PageEmpty({ title, children, action }: EmptyProps) {
  return (
    <div className={classes.state}>
      <EmptyPicture />
      <h2 className={classes.title}>{title}</h2>
      {children && <p className={classes.text}>{children}</p>}
      {action}
    </div>
  );
}

interface ErrorProps {
  readonly error: unknown;
  /** It stands for the whole page, and has the page's heading. */
  readonly isPage?: boolean;
  readonly onRetry?: () => void;
  /** A link to another page, when trying again makes no sense. */
  readonly action?: ReactNode;
}

export function PageError({ error, isPage = false, onRetry, action }: ErrorProps) {
  const Heading = isPage ? 'h1' : 'h2';
  const { title, message, requestId } = toConsoleError(error);
  usePageTitle(isPage ? title : null);
  return (
    <div className={classes.state} role="alert">
      <ErrorPicture />
      <Heading className={classes.title}>{title}</Heading>
      <p className={classes.text}>{message}</p>
      {requestId && (
        <p className={classes.text}>
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
      {action}
    </div>
  );
}

interface PageUnreadProps extends Pick<ErrorProps, 'isPage' | 'action'> {
  readonly of: {
    readonly isPending: boolean;
    readonly isLoadingError: boolean;
    readonly error: unknown;
    readonly refetch: () => Promise<unknown>;
  };
  /** For the middle of a sentence: `the flag`. */
  readonly what: string;
}

/** Shows that a query is under way, or why it has nothing to show; otherwise nothing. */
export function PageUnread({ of: query, what, ...props }: PageUnreadProps) {
  const { isPending, error, refetch } = query;
  if (isPending) return <PageLoading what={what} />;
  if (!isUnreadable(query)) return null;
  return <PageError error={error} onRetry={() => void refetch()} {...props} />;
}
