import CircleAlert from 'lucide-react/icons/circle-alert';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';
import { toConsoleError } from '../client/console-error.ts';
import classes from './callout.module.css';
import { SafeName } from './safe-name.tsx';

interface CalloutProps {
  readonly tone: 'warn' | 'plain' | 'failed';
  readonly children: ReactNode;
}

/** A message that is part of the page, and stays. */
export function Callout({ tone, children }: CalloutProps) {
  const Icon = tone === 'warn' ? TriangleAlert : Info;
  return (
    <div className={classes.callout} data-tone={tone}>
      <Icon aria-hidden="true" />
      <div>{children}</div>
    </div>
  );
}

/** Shows an error where the action was taken; nothing without an error. */
export function Failure({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  const { title, message, requestId } = toConsoleError(error);
  return (
    <div className={classes.callout} data-tone="failed" role="alert">
      <CircleAlert aria-hidden="true" />
      <div>
        <strong>{title}.</strong> <SafeName name={message} />
        {requestId && <div className={classes.small}>Request {requestId}</div>}
      </div>
    </div>
  );
}
