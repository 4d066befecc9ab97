import { hashPasswordHere, isPasswordHere } from '../support/password-hash.ts';

/** Piscina tasks of a password thread: each holds its thread until it is done. */
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
