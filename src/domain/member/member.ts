export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface Member {
  readonly id: string;
  /** Null for a person who only owns personal projects. */
  readonly organisationId: string | null;
  readonly name: string;
  /** Kept as given; compared in lower case. */
  readonly email: string;
  readonly role: Role;
  /** Argon2id, PHC string; null until a password is set. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
  readonly revision: number;
}
