import t from 'tap';
import { linkLifetimeMs } from '../../../../src/domain/session/one-time-link.ts';
import { hashSecret } from '../../../../src/support/hash-secret.ts';
import { newId } from '../../../../src/support/random-id.ts';
import { makeOperatorLink } from '../../../../src/writer/thread/commands/make-operator-link.ts';
import { creationOf, memberOf } from '../../../storage/support/records.ts';
import { newStore } from '../../../storage/support/sample-store.ts';

const baseUrl = 'http://127.0.0.1:8080';

t.test('links of a person without an organisation are kept while they work', async (t) => {
  const { store } = newStore(t);
  const member = memberOf();
  store.write(({ apply }) => apply([creationOf('member', member)]));
  const makeAt = (now: number): void =>
    store.write(({ queries, apply }) => {
      const newSecret = (): string => newId();
      const args = { email: member.email, organisation: null };
      const made = makeOperatorLink(queries, args, { now, newId, newSecret, hashSecret, baseUrl });
      if (!made.ok) throw new Error(made.problem.detail);
      apply(made.value.changes);
    });
  const kept = (): number => store.write(({ queries }) => [...queries.oneTimeLinksOf(member.id)].length);
  makeAt(1000);
  makeAt(2000);
  t.equal(kept(), 2, 'a link replaces no other');
  makeAt(1000 + linkLifetimeMs);
  t.equal(kept(), 2, 'the first has ended');
});
