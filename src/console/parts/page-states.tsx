import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { toConsoleError } from '../client/console-error.ts';
import classes from './page-states.module.css';
import { EmptyPicture, ErrorPicture, LoadingPicture } from './pictures.tsx';
import { usePageTitle } from './use-page-title.ts';

/** Shows itself only after a moment: what comes at once needs no picture. */
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
  /** It stands for the whole page, and has its heading. */
  readonly isPage?: boolean;
  readonly onRetry?: () => void;
  /** The way on from here, where trying again is none. */
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
