import type { Member, Role } from '../../src/domain/member/member.ts';
import type { Organisation } from '../../src/domain/organisation/organisation.ts';
import type { RecordChange } from '../../src/domain/record-change.ts';
import type { Token } from '../../src/domain/token/token.ts';
import { newSecretText, newTokenSecret } from '../../src/domain/token/token-secret.ts';
import { openStore } from '../../src/storage/store.ts';
import { hashSecret } from '../../src/support/hash-secret.ts';
import { newId } from '../../src/support/random-id.ts';
import {
  creationOf,
  flagChangeOf,
  flagOf,
  memberOf,
  organisationOf,
  projectOf,
  sessionOf,
  tokenOf,
} from '../storage/support/records.ts';
import { mapBytes } from '../storage/support/sample-store.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { ConsoleClient } from './console-client.ts';

function randomBytes(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** Prepares a data directory before a server opens it: an organisation with signed-in members. */
export class PreparedStore {
  readonly organisation = organisationOf();
  readonly project = projectOf(this.organisation.id, { name: 'shop' });
  readonly flag = flagOf(this.project.id);
  readonly #changes: RecordChange[] = [
    creationOf('organisation', this.organisation),
    creationOf('project', this.project),
    flagChangeOf(null, this.flag),
  ];
  readonly #sessions = new Map<string, string>();

  add(changes: readonly RecordChange[]): void {
    this.#changes.push(...changes);
  }

  addOrganisation(name: string, change: Partial<Organisation> = {}): Organisation {
    const organisation = organisationOf({ name, ...change });
    this.add([creationOf('organisation', organisation)]);
    return organisation;
  }

  /**
   * @param seenAt when the member's session was used last
   * @returns the id of a new member with a session
   */
  addMember(
    role: Role,
    organisationId: string | null = this.organisation.id,
    seenAt: number = Date.now(),
    change: Partial<Member> = {},
  ): string {
    const fixed = { organisationId, role, name: role, email: `${newId()}@example.test` };
    const member = memberOf({ ...fixed, ...change });
    this.add([creationOf('member', member)]);
    this.#sessions.set(member.id, this.addSession(member.id, seenAt));
    return member.id;
  }

  /** @returns the secret of a further session, for a cookie */
  addSession(memberId: string, seenAt: number = Date.now()): string {
    const secret = newSecretText(randomBytes());
    const fields = { secretHash: hashSecret(secret), createdAt: seenAt, lastSeenAt: seenAt };
    this.add([creationOf('session', sessionOf(memberId, fields))]);
    return secret;
  }

  /** @returns the Authorization header of a new token of the project */
  addToken(change: Partial<Token> = {}): string {
    const text = newTokenSecret('burgee', randomBytes());
    const secretHash = hashSecret(text.slice('burgee_'.length));
    const token = tokenOf(this.project.id, { secretHash, ...change });
    this.add([creationOf('token', token)]);
    return `Bearer ${text}`;
  }

  async write(directory: string): Promise<void> {
    const store = openStore({ directory, mapBytes });
    store.write(({ apply }) => apply(this.#changes));
    await store.close();
  }

  /** The browser of a member. */
  client(t: Lifetime, port: number, memberId: string): ConsoleClient {
    const client = new ConsoleClient(t, { port });
    client.cookies.set('burgee_session', this.#sessions.get(memberId) ?? '');
    return client;
  }
}
