import { randomBytes } from 'node:crypto';
import type { ProvisionDocument } from '../contracts/provision/provision-document.ts';
import { newTokenSecret } from '../domain/token/token-secret.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { hashPassword, isPasswordOf } from '../support/password-hash.ts';
import type { CallWriter } from '../writer/client/operator-port-client.ts';
import type {
  PasswordDecision,
  ProvisionCounts,
  ProvisionedProject,
} from '../writer/client/provision-protocol.ts';
import { type PlacedProject, projectsOf, readDocument } from './read-document.ts';

/** The largest file that `apply` takes. */
export const fileBytesMax = 64 * 2 ** 20;

export type ApplyOutcome =
  | {
      readonly ok: true;
      /** What `apply` prints: by name, each project's id, and the ids of what the file declares in it. */
      readonly projects: Readonly<Record<string, AppliedProject>>;
      readonly warnings: readonly string[];
      readonly counts: ProvisionCounts;
    }
  /** Nothing was applied. Has the first 50 problems, and the number of all. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly problemCount: number };

export interface AppliedProject {
  readonly id: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly audiences: Readonly<Record<string, string>>;
  /** The secret that was made for a new token, which is shown this once; null if it was given, or the token existed. */
  readonly tokens: Readonly<Record<string, { readonly id: string; readonly secret: string | null }>>;
}

/** What the thread provides to a verb. */
export interface OperatorContext {
  readonly callWriter: CallWriter;
  /** Prefix of new token secrets. */
  readonly tokenPrefix: string;
  /** Aborts a verb, unless its changes are being written. */
  readonly signal?: AbortSignal;
}

/**
 * The verb `apply`: parses and checks the file on this thread, hashes its passwords, and hands the document to the
 * writer, which commits it in one transaction.
 *
 * @throws when aborted, or when the writer fails; then nothing was applied, unless the writer died in the commit.
 */
export async function applyFile(file: Uint8Array, context: OperatorContext): Promise<ApplyOutcome> {
  const { callWriter, tokenPrefix, signal } = context;
  const { document, problems, warnings } = readDocument(file);
  if (!problems.isEmpty) return { ok: false, problems: problems.listed, problemCount: problems.count };
  const passwords = await decidePasswords(takePasswords(document), context);
  const projects = projectsOf(document);
  const secrets = makeSecrets(projects, tokenPrefix);
  const secretHashes = new Map([
    ...Array.from(secrets, ([path, secret]) => [path, hashTokenSecret(secret)] as const),
    ...givenHashes(projects),
  ]);
  signal?.throwIfAborted();
  const outcome = await callWriter('provision', { document, passwords, secretHashes });
  if (!outcome.ok) return outcome;
  const applied = projects.map(({ path, project }, index) => {
    const ids = outcome.projects[index];
    if (ids === undefined) throw new Error(`the writer did not answer for ${path}`);
    return [project.name.trim(), appliedProject({ path, project }, ids, secrets)] as const;
  });
  return {
    ok: true,
    projects: Object.fromEntries(applied),
    warnings: [...warnings.listed, ...outcome.warnings],
    counts: outcome.counts,
  };
}

export function hashTokenSecret(secret: string): Uint8Array {
  return hashSecret(secret.slice(secret.lastIndexOf('_') + 1));
}

/**
 * @returns a secret for every declared token without a given one, by its path; those of tokens that exist already are
 * not used.
 */
function makeSecrets(projects: readonly PlacedProject[], tokenPrefix: string): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const { path, project } of projects) {
    for (const [index, { secretHash, secretFile, secretVariable }] of (project.tokens ?? []).entries()) {
      if ((secretFile ?? secretVariable) !== undefined) throw new Error(`the secret of ${path} was not read`);
      if (secretHash !== undefined) continue;
      secrets.set(`${path}.tokens[${index}]`, newTokenSecret(tokenPrefix, randomBytes(32)));
    }
  }
  return secrets;
}

function* givenHashes(projects: readonly PlacedProject[]): Generator<readonly [string, Uint8Array]> {
  for (const { path, project } of projects) {
    for (const [index, { secretHash }] of (project.tokens ?? []).entries()) {
      if (secretHash === undefined) continue;
      yield [`${path}.tokens[${index}]`, new Uint8Array(Buffer.from(secretHash, 'hex'))];
    }
  }
}

function appliedProject(
  { path, project: { flags = [], audiences = [], tokens = [] } }: PlacedProject,
  ids: ProvisionedProject,
  secrets: ReadonlyMap<string, string>,
): AppliedProject {
  const appliedTokens = ids.tokens.map(({ id, isNew }, index) => ({
    id,
    secret: isNew ? (secrets.get(`${path}.tokens[${index}]`) ?? null) : null,
  }));
  return {
    id: ids.id,
    flags: byName(flags, ids.flagIds),
    audiences: byName(audiences, ids.audienceIds),
    tokens: byName(tokens, appliedTokens),
  };
}

/** @param values in the order of the items. `Object.fromEntries` treats `__proto__` like any other name. */
function byName<Value>(
  items: readonly { readonly name: string }[],
  values: readonly Value[],
): Record<string, Value> {
  return Object.fromEntries(items.map(({ name }, index) => [name.trim(), values[index] as Value]));
}

interface DeclaredPassword {
  /** Of the member. */
  readonly path: string;
  readonly organisation: string;
  readonly email: string;
  readonly password: string;
}

/** Removes the passwords from the document: the writer sees only their hashes. */
function takePasswords({ organisations = [] }: ProvisionDocument): DeclaredPassword[] {
  return organisations.flatMap(({ name, members = [] }, index) =>
    members.flatMap((member, memberIndex) => {
      const { email, password } = member;
      delete member.password;
      const path = `organisations[${index}].members[${memberIndex}]`;
      return password === undefined ? [] : [{ path, organisation: name.trim(), email, password }];
    }),
  );
}

/**
 * Decides about each declared password. If the stored hash is of this password, it stays, so that a file applied again
 * changes nothing; otherwise the password gets a hash of its own.
 */
async function decidePasswords(
  declared: readonly DeclaredPassword[],
  { callWriter, signal }: OperatorContext,
): Promise<ReadonlyMap<string, PasswordDecision>> {
  const decisions = new Map<string, PasswordDecision>();
  if (declared.length === 0) return decisions;
  const stored = await callWriter('passwordHashes', declared);
  for (const [index, { path, password }] of declared.entries()) {
    signal?.throwIfAborted();
    decisions.set(path, await decide(password, stored[index] ?? null));
  }
  return decisions;
}

async function decide(password: string, stored: string | null): Promise<PasswordDecision> {
  // A stored text that the library cannot read as a hash is replaced.
  if (stored !== null && (await isPasswordOf(stored, password))) {
    return { kind: 'keep', passwordHash: stored };
  }
  return { kind: 'set', passwordHash: await hashPassword(password) };
}
