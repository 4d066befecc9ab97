import classes from './pictures.module.css';

/** A pole with its flag still coming up. */
export function LoadingPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.ground} d="M14 88h92" />
      <path className={classes.pole} d="M40 88V10" />
      <path className={classes.rising} d="M42 46l44 12-10 3 9 8-43 9z" />
      <path className={classes.faint} d="M42 14l44 12-10 3 9 8-43 9z" />
    </svg>
  );
}

/** A bare pole on a quiet hill: nothing has been raised yet. */
export function EmptyPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.hill} d="M6 88c22-20 46-26 62-20s30 12 46 20z" />
      <path className={classes.pole} d="M60 68V10" />
      <path className={classes.faint} d="M62 14l42 11-10 3 9 7-41 8z" />
      <circle className={classes.sun} cx="26" cy="26" r="8" />
    </svg>
  );
}

/** A snapped pole, its flag on the ground. */
export function ErrorPicture() {
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
