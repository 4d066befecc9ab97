import classes from './live-state.module.css';
import { useLiveChanges } from './use-live-changes.ts';

/** A word on every page that does not show what others change; otherwise nothing. */
export function LiveState() {
  const isCutOff = useLiveChanges();
  return (
    <div className={classes.state} role="status" aria-label="Live updates">
      {isCutOff && 'This page is not live: what others change is shown after a reload. Trying to connect …'}
    </div>
  );
}
