import { hash, verify } from '@node-rs/argon2';
import type { ProvisionDocument } from '../contracts/provision/provision-document.ts';
import type { OperatorWriterPort } from '../writer/operator-port-protocol.ts';
import type { PasswordDecision } from '../writer/provision/provision-protocol.ts';

/** OWASP's first choice for Argon2id, the library's default algorithm: 19 MiB, 2 passes, 1 lane. */
const argon2Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

interface DeclaredPassword {
  readonly path: string;
  readonly organisation: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Decides what each declared password means, off the writer's thread: a stored hash that fits stays, so that a file
 * applied again changes nothing; any other gets a hash of its own.
 *
 * @returns by the path of the member.
 */
export async function decidePasswords(
  document: ProvisionDocument,
  port: OperatorWriterPort,
): Promise<ReadonlyMap<string, PasswordDecision>> {
  const declared = declaredPasswords(document);
  const decisions = new Map<string, PasswordDecision>();
  if (declared.length === 0) return decisions;
  const names = declared.map(({ organisation, email }) => ({ organisation, email }));
  const stored = await port.passwordHashes(names);
  for (const [index, { path, password }] of declared.entries()) {
    decisions.set(path, await decide(password, stored[index] ?? null));
  }
  return decisions;
}

function declaredPasswords({ organisations = [] }: ProvisionDocument): DeclaredPassword[] {
  return organisations.flatMap(({ name, members = [] }, index) =>
    members.flatMap(({ email, password }, memberIndex) => {
      const path = `organisations[${index}].members[${memberIndex}]`;
      return password === undefined ? [] : [{ path, organisation: name.trim(), email, password }];
    }),
  );
}

async function decide(password: string, stored: string | null): Promise<PasswordDecision> {
  if (stored !== null && (await isHashOf(stored, password))) return { kind: 'keep', passwordHash: stored };
  return { kind: 'set', passwordHash: await hash(password, argon2Options) };
}

async function isHashOf(stored: string, password: string): Promise<boolean> {
  try {
    return await verify(stored, password);
  } catch {
    return false; // no hash that this library reads: the declared password replaces it
  }
}

/** The document as the writer may see it. */
export function withoutPasswords(document: ProvisionDocument): ProvisionDocument {
  const { organisations } = document;
  if (organisations === undefined) return document;
  return {
    ...document,
    organisations: organisations.map(({ members, ...organisation }) => ({
      ...organisation,
      ...(members === undefined
        ? {}
        : { members: members.map(({ name, email, role }) => ({ name, email, role })) }),
    })),
  };
}
