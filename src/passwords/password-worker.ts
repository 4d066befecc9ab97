import { hashPasswordHere, isPasswordHere } from '../support/password-hash.ts';

/** Piscina task of a password thread, which it occupies until it is done. */
export function hash(password: string): string {
  return hashPasswordHere(password);
}

export interface PasswordCheck {
  /** A PHC string. */
  readonly passwordHash: string;
  readonly password: string;
}

export function check({ passwordHash, password }: PasswordCheck): boolean {
  return isPasswordHere(passwordHash, password);
}
