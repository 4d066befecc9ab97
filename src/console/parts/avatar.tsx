import classes from './avatar.module.css';

const hueCount = 8;

/** The same hue for the same key each time. */
function hueOf(key: string): number {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % hueCount;
}

/** The first letter or digit of a name, else its first character. */
function initialOf(name: string): string {
  // Most names need no table of Unicode's letters, which a browser makes for a first page in milliseconds.
  const [first = '?'] = /^[a-z0-9]/i.exec(name) ?? /[\p{L}\p{N}]/u.exec(name) ?? name;
  return first.toUpperCase();
}

interface AvatarProps {
  readonly name: string;
  /** Chooses the colour, and stays when the name changes: an id. */
  readonly of: string;
  /** A person is round, a project square. */
  readonly isRound?: boolean;
}

/** A coloured initial next to a name. It is hidden from screen readers, which read the name. */
export function Avatar({ name, of, isRound = false }: AvatarProps) {
  return (
    <span
      aria-hidden="true"
      className={classes.avatar}
      data-hue={hueOf(of)}
      data-round={isRound || undefined}
      data-initial={initialOf(name)}
    />
  );
}
