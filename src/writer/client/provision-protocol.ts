import type { ProvisionDocument } from '../../contracts/provision/provision-document.ts';

/**
 * What to do about a declared password. Both were found out beside the writer's thread: hashing takes too long for it.
 * `keep`: the password is that of this stored hash. `set`: it is not, here is its own hash (argon2id, PHC string).
 */
export type PasswordDecision =
  | { readonly kind: 'keep'; readonly passwordHash: string }
  | { readonly kind: 'set'; readonly passwordHash: string };

/** What is to be provisioned, checked; the flags come beside it, slice by slice. */
export interface ProvisionRequest {
  readonly document: ProvisionDocument;
  /** By the member's path (`organisations[0].members[1]`), where the document gives a password. */
  readonly passwords: ReadonlyMap<string, PasswordDecision>;
  /** SHA-256 of a fresh secret by the token's path; used where the token does not exist yet. */
  readonly secretHashes: ReadonlyMap<string, Uint8Array>;
}

/** Some flags of one project: the text of a JSON array that was checked against `declaredFlagsSchema`. */
export interface FlagSlice {
  /** Of the project, for example `organisations[0].projects[1]`. */
  readonly projectPath: string;
  readonly firstIndex: number;
  readonly json: Uint8Array;
}

/** Ids in the order in which the file declares things. */
export interface ProvisionedProject {
  readonly path: string;
  readonly id: string;
  readonly audienceIds: readonly string[];
  readonly tokens: readonly { readonly id: string; readonly isNew: boolean }[];
  /** One text for each slice: the ids of its flags, one after another, each 20 characters. */
  readonly flagIds: readonly string[];
}

export interface ProvisionCounts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
}

export interface Provisioned {
  readonly projects: readonly ProvisionedProject[];
  readonly warnings: readonly string[];
  readonly counts: ProvisionCounts;
}

/** Nothing is applied unless everything is. */
export type ProvisionOutcome =
  | { readonly ok: true; readonly value: Provisioned }
  | { readonly ok: false; readonly problems: readonly string[]; readonly problemCount: number };
