import { Loader, Switch, type SwitchProps } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './busy-switch.module.css';

/** Shown where the result of a change will be, while there is no answer. */
export function BusyWords({ children }: { readonly children: ReactNode }) {
  return (
    <span className={classes.words}>
      <Loader size={12} color="currentColor" aria-hidden="true" /> {children}
    </span>
  );
}

interface BusySwitchProps extends SwitchProps {
  /** What is stored. */
  readonly checked: boolean;
  /** What is being done, until there is an answer: `Switching off …`; null: nothing is. */
  readonly busy: string | null;
}

/**
 * A switch that shows what is stored, and says so when a change has no answer yet. It is not disabled meanwhile: that
 * would take the focus from it.
 */
export function BusySwitch({ busy, label, ...props }: BusySwitchProps) {
  const shown = busy === null ? label : <BusyWords>{busy}</BusyWords>;
  return <Switch {...props} label={shown} aria-busy={busy !== null || undefined} />;
}
