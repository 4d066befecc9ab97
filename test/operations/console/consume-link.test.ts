import t, { type Test } from 'tap';
import { membersMax } from '../../../src/domain/bounds.ts';
import type { Member } from '../../../src/domain/member/member.ts';
import { newSecretText } from '../../../src/domain/token/token-secret.ts';
import { createOperationContext } from '../../../src/operations/operation-context.ts';
import type { Store } from '../../../src/storage/store.ts';
import { makeFirstOwnerOffer } from '../../../src/supervisor/make-first-owner-offer.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { creationOf, linkOf, memberOf, organisationOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';
import { plainSettings, runWrite } from '../run-operation.ts';

/* Using a link takes account of changes since it was made. */
const email = 'new@example.test';

/** An invitation, and a function that follows it in the writer. */
class InvitationStage {
  readonly store: Store;
  readonly organisation = organisationOf();
  readonly #secret = newSecretText(crypto.getRandomValues(new Uint8Array(32)));
  readonly #offer = makeFirstOwnerOffer('', Date.now()).offer;

  constructor(t: Test) {
    this.store = newStore(t).store;
    const link = linkOf(this.organisation.id, {
      secretHash: hashSecret(this.#secret),
      expiresAt: Date.now() + 60_000,
      purpose: { kind: 'invitation', email, role: 'editor' },
    });
    this.store.write(({ apply }) =>
      apply([creationOf('organisation', this.organisation), creationOf('one-time-link', link)]),
    );
  }

  add(...members: readonly Member[]): void {
    this.store.write(({ apply }) => apply(members.map((member) => creationOf('member', member))));
  }

  follow() {
    const body = {
      ...{ secret: this.#secret, name: 'New', email: null, organisation: null },
      passwordHash: '$argon2id$',
    };
    const origin = { requestId: 'request-1', address: '192.0.2.1', userAgent: 'Browser/1' };
    const context = createOperationContext({
      ...plainSettings,
      acceptedPrefixes: [],
      firstOwnerOffer: this.#offer,
    });
    return this.store.write(({ queries, apply }) => {
      const outcome = runWrite(
        'consume-link',
        queries,
        { ...origin, params: {}, query: {}, body },
        null,
        context,
      );
      if (outcome.ok) apply(outcome.value.changes);
      return outcome;
    });
  }
}

t.test('an email that has since become a member’s, in any case, makes no second member', async (t) => {
  const stage = new InvitationStage(t);
  const taken = memberOf({ organisationId: stage.organisation.id, email: 'NEW@example.TEST' });
  stage.add(taken);
  t.match(stage.follow(), { ok: false, problem: { code: 'conflict', detail: /has this email already/ } });
  stage.store.write(({ apply }) => apply([{ kind: 'member', before: taken, after: null }]));
  t.match(stage.follow(), { ok: true }, 'the link was not used up by the refusal');
  t.match(stage.follow(), { ok: false, problem: { code: 'link-over' } });
});

t.test('the same email in another organisation does not matter', async (t) => {
  const stage = new InvitationStage(t);
  stage.add(
    memberOf({ organisationId: organisationOf().id, email }),
    memberOf({ organisationId: null, email }),
  );
  t.match(stage.follow(), { ok: true });
});

t.test('an organisation takes its 10,000th member, and no further one', async (t) => {
  const stage = new InvitationStage(t);
  const organisationId = stage.organisation.id;
  const others = Array.from({ length: membersMax }, (_, index) =>
    memberOf({ organisationId, email: `m${index}@example.test` }),
  );
  stage.add(...others, memberOf({ organisationId: organisationOf().id }));
  t.match(stage.follow(), {
    ok: false,
    problem: { code: 'conflict', detail: /1000 members, which is the limit/ },
  });
  const [first] = others;
  if (first === undefined) throw new Error('there are members');
  stage.store.write(({ apply }) => apply([{ kind: 'member', before: first, after: null }]));
  t.match(stage.follow(), { ok: true }, 'the 10,000th joins through the same link');
});
