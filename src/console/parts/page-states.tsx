import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { isUnreadable, toConsoleError } from '../client/console-error.ts';
import { EmptyPicture, ErrorPicture, LoadingPicture } from './drawings.tsx';
import { usePageTitle } from './page-head.tsx';
import classes from './page-states.module.css';

interface LoadingProps {
  readonly what: string;
  /** It fills the whole window, before there is a frame. */
  readonly isWindow?: boolean;
}

/** Appears after a moment: a quick answer needs none. Grey rows mark where the content will be. */
export function PageLoading({ what, isWindow = false }: LoadingProps) {
  if (isWindow) {
    return (
      <div className={`${classes.state} ${classes.late}`} role="status">
        <LoadingPicture />
        <p className={classes.title}>Loading {what} …</p>
      </div>
    );
  }
  return (
    <div className={classes.late} role="status">
      <span className="heard">Loading {what} …</span>
      <div className={classes.skeleton} data-skeleton>
        {[1, 2, 3, 4, 5, 6].map((line) => (
          <div key={line} className={classes.line}>
            {[1, 2, 3, 4].map((bar) => (
              <span key={bar} className={classes.bar} />
            ))}
          </div>
        ))}
      </div>
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
  /** It replaces the whole page, and has the page's heading. */
  readonly isPage?: boolean;
  readonly onRetry?: () => void;
  /** A link to another page, when a retry makes no sense. */
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

/** Shows that a query is in progress, or why it has no data; otherwise nothing. */
export function PageUnread({ of: query, what, ...props }: PageUnreadProps) {
  const { isPending, error, refetch } = query;
  if (isPending) return <PageLoading what={what} />;
  if (!isUnreadable(query)) return null;
  return <PageError error={error} onRetry={() => void refetch()} {...props} />;
}
