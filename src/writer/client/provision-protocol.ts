import type { ProvisionDocument } from '../../contracts/provision/provision-document.ts';

/**
 * The decision about a declared password, made outside the writer's thread, because hashing takes too long for it.
 * `keep`: the password is that of this stored hash. `set`: it is a new one, with this hash (argon2id, PHC string).
 */
export type PasswordDecision =
  | { readonly kind: 'keep'; readonly passwordHash: string }
  | { readonly kind: 'set'; readonly passwordHash: string };

/** A checked provisioning; its flags come separately, in slices. */
export interface ProvisionRequest {
  readonly document: ProvisionDocument;
  /** By the member's path (`organisations[0].members[1]`), if the document gives a password. */
  readonly passwords: ReadonlyMap<string, PasswordDecision>;
  /** SHA-256 of a new secret by the token's path; used for tokens that do not exist yet. */
  readonly secretHashes: ReadonlyMap<string, Uint8Array>;
}

/** Some flags of one project: the text of a JSON array that was checked against `declaredFlagsSchema`. */
export interface FlagSlice {
  /** Path of the project, for example `organisations[0].projects[1]`. */
  readonly projectPath: string;
  readonly firstIndex: number;
  readonly json: Uint8Array;
}

/** Ids in the order of the file's declarations. */
export interface ProvisionedProject {
  readonly path: string;
  readonly id: string;
  readonly audienceIds: readonly string[];
  readonly tokens: readonly { readonly id: string; readonly isNew: boolean }[];
  /** A text for each slice: the ids of its flags in a row, 20 characters each. */
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

/** Either everything is applied, or nothing. */
export type ProvisionOutcome =
  | { readonly ok: true; readonly value: Provisioned }
  | { readonly ok: false; readonly problems: readonly string[]; readonly problemCount: number };
