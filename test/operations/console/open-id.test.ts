import t, { type Test } from 'tap';
import { identitiesMax } from '../../../src/domain/bounds.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { newSecretText } from '../../../src/domain/token/token-secret.ts';
import type { ConsoleContext } from '../../../src/operations/operation.ts';
import type { BeginOpenIdSession, BegunOpenIdSession } from '../../../src/operations/sessions/step-bodies.ts';
import { checkStore } from '../../../src/storage/check.ts';
import { makeFirstOwnerOffer } from '../../../src/supervisor/make-first-owner-offer.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { newId } from '../../../src/support/random-id.ts';
import { creationOf, identityOf, linkOf, memberOf, organisationOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';
import { runWrite } from '../run-operation.ts';

const now = 1_750_000_000_000;
const issuer = 'https://id.example.test';

function newSecret(): string {
  return newSecretText(crypto.getRandomValues(new Uint8Array(32)));
}

const context: ConsoleContext = {
  ...{ now, newId, newSecret, hashSecret, tokenPrefix: 'burgee', baseUrl: 'https://flags.example.test' },
  shown: {},
  ...{
    docsUrl: 'https://flags.example.test/docs',
    openIdName: 'Provider',
    isMailConfigured: false,
    isCluster: false,
  },
  firstOwnerOffer: makeFirstOwnerOffer('', now).offer,
};

/** A store with sign-in by OpenID Connect. */
function openDoor(t: Test) {
  const { directory, store } = newStore(t);
  const organisation = organisationOf();
  const apply = (changes: readonly RecordChange[]): void =>
    store.write((transaction) => transaction.apply(changes));
  apply([creationOf('organisation', organisation)]);
  return {
    organisation,
    apply,
    addMember: (change: Partial<Member>): Member => {
      const member = memberOf({ organisationId: organisation.id, ...change });
      apply([creationOf('member', member)]);
      return member;
    },
    /** @returns the signed-in member, or the reason of a refusal */
    come: (person: Partial<BeginOpenIdSession>): string =>
      store.write((transaction): string => {
        const body: BeginOpenIdSession = {
          ...{ issuer, subject: 'somebody', email: null, isEmailVerified: true, names: [], linkSecret: null },
          ...{ organisation: null, state: newSecret(), begunAt: now },
          ...person,
        };
        const request = { requestId: 'r', params: {}, query: {}, address: '192.0.2.1', userAgent: 'B', body };
        const decided = runWrite('begin-open-id-session', transaction.queries, request, null, context);
        if (!decided.ok) return decided.problem.code;
        transaction.apply(decided.value.changes);
        const { begun, refusal } = decided.value.reply.value as BegunOpenIdSession;
        if (refusal !== null) t.strictSame(decided.value.changes, [], 'a refusal changes nothing');
        return begun?.memberId ?? refusal ?? '';
      }),
    issuersOf: (memberId: string): readonly string[] =>
      store.write(({ queries }) => [...queries.identitiesOf(memberId)].map((identity) => identity.issuer)),
    check: async (): Promise<void> => {
      await store.close();
      t.strictSame([...checkStore(directory)], []);
    },
  };
}

t.test('ASCII letters of an email are compared without case, and no others', async (t) => {
  const door = openDoor(t);
  const member = door.addMember({ email: 'Kim@Example.test' });
  t.equal(door.come({ email: '\u212aim@example.test' }), 'not-a-member', 'a Kelvin sign is no k');
  t.equal(door.come({ email: 'kim@example.test ' }), 'not-a-member', 'no email at all');
  t.equal(door.come({ email: 'KIM@EXAMPLE.TEST' }), member.id);
  t.equal(
    door.come({ email: 'moved@example.test', isEmailVerified: false }),
    member.id,
    'the subject decides',
  );
  await door.check();
});

t.test('a person without an organisation is found by email, too', async (t) => {
  const door = openDoor(t);
  const outside = door.addMember({ organisationId: null, email: 'own@example.test' });
  t.equal(door.come({ email: 'own@example.test' }), outside.id);
  const inside = door.addMember({ email: 'own@example.test' });
  t.equal(door.come({ email: 'own@example.test', subject: 'another' }), 'several-members');
  t.not(inside.id, outside.id);
  await door.check();
});

t.test('a member has one account for each issuer, and a limited number of issuers', async (t) => {
  const door = openDoor(t);
  const member = door.addMember({ email: 'kim@example.test' });
  for (let index = 0; index < identitiesMax; index += 1) {
    const identity = identityOf(member.id, { issuer: `https://${index}.example.test`, createdAt: index });
    door.apply([creationOf('identity', identity)]);
  }
  t.equal(door.come({ email: 'kim@example.test' }), member.id);
  const issuers = door.issuersOf(member.id);
  t.equal(issuers.length, identitiesMax);
  t.ok(issuers.includes(issuer));
  t.notOk(issuers.includes('https://0.example.test'), 'a new account replaces the oldest');
  t.equal(door.come({ email: 'kim@example.test', subject: 'another' }), 'other-account');
  await door.check();
});

t.test('a link works until its end, and for an email without a member', async (t) => {
  const door = openDoor(t);
  door.addMember({ email: 'kim@example.test' });
  const invite = (email: string, expiresAt: number): string => {
    const linkSecret = newSecret();
    const purpose = { kind: 'invitation', email, role: 'viewer' } as const;
    const change = { purpose, secretHash: hashSecret(linkSecret), expiresAt };
    door.apply([creationOf('one-time-link', linkOf(door.organisation.id, change))]);
    return linkSecret;
  };
  const known = { email: 'x@example.test', isEmailVerified: false, names: ['', 'a\u0000b', ' Xenia '] };
  t.equal(door.come({ ...known, linkSecret: invite('x@example.test', now) }), 'link-over');
  t.equal(door.come({ ...known, linkSecret: 'no secret' }), 'link-over');
  t.equal(door.come({ ...known, linkSecret: invite('KIM@example.test', now + 1) }), 'email-taken');
  const linkSecret = invite('invited@example.test', now + 1);
  const memberId = door.come({ ...known, linkSecret });
  t.match(memberId, /^[0-9A-Za-z]{20}$/);
  t.strictSame(door.issuersOf(memberId), [issuer]);
  t.equal(door.come({ ...known, subject: 'another', linkSecret }), 'link-over', 'once');
  await door.check();
});
