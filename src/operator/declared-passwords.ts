import type { ProvisionDocument } from '../contracts/provision/provision-document.ts';
import { hashPassword, isPasswordOf } from '../support/password-hash.ts';
import type { OperatorWriterPort } from '../writer/operator-port-protocol.ts';
import type { PasswordDecision } from '../writer/provision/provision-protocol.ts';

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
  // What is no hash that the library reads is replaced.
  if (stored !== null && (await isPasswordOf(stored, password))) {
    return { kind: 'keep', passwordHash: stored };
  }
  return { kind: 'set', passwordHash: await hashPassword(password) };
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
