import classes from './drawings.module.css';

/** The burgee: a pennant with two tails, which flies to the right of a pole at x = 40. */
const burgee = 'M42 11c12-4 20 5 31 5s18-5 32-3L92 27l11 14c-13-2-20 3-30 3s-19-8-31-4z';
const stripe =
  'M42 21c12-4 20 5 31 5 8 0 13-2.5 21-3.2L92 27l2.6 3.6c-8 .8-13.6 3.4-21.6 3.4-11 0-19-8-31-4z';

/** A pole with a flag that is being raised. */
export function LoadingPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.ground} d="M14 88h92" />
      <path className={classes.pole} d="M40 88V8" />
      <g className={classes.rising}>
        <path className={classes.cloth} d={burgee} />
        <path className={classes.stripe} d={stripe} />
      </g>
    </svg>
  );
}

/** A bare pole on a hill, with the outline of the flag that may fly there. */
export function EmptyPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <circle className={classes.sun} cx="19" cy="30" r="8" />
      <path className={classes.hill} d="M2 88c18-18 34-25 50-20s40 12 66 20z" />
      <path className={classes.pole} d="M40 68V8" />
      <path className={classes.outline} d={burgee} />
      <path className={classes.ground} d="M2 88h116" />
    </svg>
  );
}

/** A broken pole, with its flag on the ground. */
export function ErrorPicture() {
  return (
    <svg className={classes.picture} viewBox="0 0 120 96" aria-hidden="true">
      <path className={classes.ground} d="M14 88h92" />
      <path className={classes.pole} d="M34 88V52l5-6" />
      <path className={classes.pole} d="M42 50l40 30" />
      <path className={classes.cloth} d="M80 78l22-20-2 9 10 1-16 20z" />
      <path className={classes.spark} d="M44 34l3-10M54 38l8-8M32 36l-5-9" />
    </svg>
  );
}

/** The burgee over the sea, above the pages before the console. */
export function SeaPicture() {
  return (
    <svg
      className={classes.sea}
      viewBox="0 0 384 112"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
    >
      <circle className={classes.sun} cx="304" cy="56" r="26" />
      <g transform="translate(112 10)">
        <path className={classes.pole} d="M40 100V6" />
        <path className={classes.cloth} d={burgee} />
        <path className={classes.stripe} d={stripe} />
      </g>
      <path
        className={classes.farWave}
        d="M0 84c24-8 40 8 64 0s40 8 64 0 40 8 64 0 40 8 64 0 40 8 64 0 40 8 64 0v28H0z"
      />
      <path
        className={classes.nearWave}
        d="M0 98c32-8 48 8 80 0s48 8 80 0 48 8 80 0 48 8 80 0 44 6 64 0v14H0z"
      />
    </svg>
  );
}
