import { Mark } from '../../parts/mark.tsx';
import classes from './flag.module.css';

const shownMax = 8;

/** The first few of a list; the dialog has them all. */
export function CohortPills({ cohorts }: { readonly cohorts: readonly string[] }) {
  if (cohorts.length === 0) return null;
  return (
    <ul className={classes.pills}>
      {cohorts.slice(0, shownMax).map((cohort) => (
        <li key={cohort}>
          <Mark tone="off">{cohort.length > 40 ? `${cohort.slice(0, 40)}…` : cohort}</Mark>
        </li>
      ))}
      {cohorts.length > shownMax && (
        <li className={classes.more}>and {(cohorts.length - shownMax).toLocaleString('en')} more</li>
      )}
    </ul>
  );
}
