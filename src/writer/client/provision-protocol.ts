import type { ProvisionDocument } from '../../contracts/provision/provision-document.ts';

/**
 * The decision about a declared password. The operator's thread makes it, because hashing is too slow for the writer's.
 * `keep`: the password is that of this stored hash. `set`: it is a new one, with this hash (argon2id, PHC string).
 */
export interface PasswordDecision {
  readonly kind: 'keep' | 'set';
  readonly passwordHash: string;
}

export interface ProvisionRequest {
  /** Checked, and without passwords. */
  readonly document: ProvisionDocument;
  /** By the member's path (`organisations[0].members[1]`), if the document gives a password. */
  readonly passwords: ReadonlyMap<string, PasswordDecision>;
  /** SHA-256 of a secret by the token's path, a new one unless one was given; used for tokens that do not exist yet. */
  readonly secretHashes: ReadonlyMap<string, Uint8Array>;
}

/** The ids in one project, in the order of the document. */
export interface ProvisionedProject {
  readonly id: string;
  readonly flagIds: readonly string[];
  readonly audienceIds: readonly string[];
  readonly tokens: readonly { readonly id: string; readonly isNew: boolean }[];
}

export interface ProvisionCounts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
}

export type ProvisionOutcome =
  | {
      readonly ok: true;
      /** In the order of the document: projects of organisations, then personal projects. */
      readonly projects: readonly ProvisionedProject[];
      readonly warnings: readonly string[];
      readonly counts: ProvisionCounts;
    }
  /** Nothing was applied. Has the first 50 problems, and the number of all. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly problemCount: number };
