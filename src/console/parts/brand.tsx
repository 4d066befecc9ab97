import classes from './brand.module.css';

/** The flag and the name. */
export function Brand() {
  return (
    <span className={classes.brand}>
      <svg className={classes.flag} viewBox="0 0 32 32" aria-hidden="true">
        <path d="M5 2v28" fill="none" stroke="#7a8699" strokeWidth="3" strokeLinecap="round" />
        <path d="M7 4l22 7.5-6.5 1.5 6.5 4L7 22z" fill="#d9480f" />
        <path d="M7 10.2l18.2 1.5-2.7 1.3 2.4 1.7L7 16.6z" fill="#fff4e6" />
      </svg>
      Burgee
    </span>
  );
}
