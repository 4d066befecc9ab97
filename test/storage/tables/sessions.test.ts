import t from 'tap';
import { checkStore } from '../../../src/storage/check.ts';
import { newId } from '../../../src/support/random-id.ts';
import { creationOf, identityOf, linkOf, memberOf, sessionOf } from '../support/records.ts';
import { newStore, writeSample } from '../support/sample-store.ts';

t.test('sessions, links and identities are found by their secrets and by their members', async (test) => {
  const { store, reader } = newStore(test);
  const { organisation, member, session, link, identity } = writeSample(store);
  const other = sessionOf(member.id, { secretHash: new Uint8Array(32).fill(0xff) });
  const second = identityOf(member.id, { subject: 'second' });
  store.write(({ apply }) => apply([creationOf('session', other), creationOf('identity', second)]));
  reader.renew();
  const { queries } = reader;
  test.strictSame(queries.session(session.id), session);
  test.strictSame(queries.sessionBySecretHash(session.secretHash), session);
  test.strictSame(queries.sessionBySecretHash(other.secretHash), other);
  test.equal(queries.sessionBySecretHash(new Uint8Array(31)), undefined);
  test.equal(queries.sessionBySecretHash(new Uint8Array(32)), undefined);
  const ids = [...queries.sessionsOf(member.id)].map(({ id }) => id);
  test.strictSame(ids.sort(), [session.id, other.id].sort());
  test.strictSame([...queries.sessionsOf(newId())], []);
  test.strictSame([...queries.sessionsOf('no id')], []);
  test.strictSame(queries.oneTimeLink(link.id), link);
  test.strictSame(queries.oneTimeLinkBySecretHash(link.secretHash), link);
  test.strictSame([...queries.oneTimeLinksOf(organisation.id)], [link]);
  test.strictSame(queries.identity(identity.issuer, identity.subject), identity);
  test.equal(queries.identity(`${identity.issuer}x`, identity.subject), undefined);
  test.equal([...queries.identitiesOf(member.id)].length, 2, 'with any first byte of its key');
});

t.test('ended ones are not found, and leave nothing behind', async (test) => {
  const { directory, store, reader } = newStore(test);
  const { organisation, member, session, link, identity } = writeSample(store);
  store.write(({ apply }) =>
    apply([
      { kind: 'session', before: session, after: null },
      { kind: 'one-time-link', before: link, after: null },
      { kind: 'identity', before: identity, after: null },
    ]),
  );
  reader.renew();
  const { queries } = reader;
  test.equal(queries.sessionBySecretHash(session.secretHash), undefined);
  test.strictSame([...queries.sessionsOf(member.id)], []);
  test.strictSame([...queries.oneTimeLinksOf(organisation.id)], []);
  test.strictSame([...queries.identitiesOf(member.id)], []);
  test.equal(queries.identity(identity.issuer, identity.subject), undefined);
  test.strictSame([...checkStore(directory)], []);
});

t.test('a first Owner’s link and a sign-in link are read as they were written', async (test) => {
  const { store, reader } = newStore(test);
  const { organisation, member } = writeSample(store);
  const links = [
    linkOf(organisation.id, { purpose: { kind: 'first-owner' } }),
    linkOf(organisation.id, { purpose: { kind: 'sign-in', memberId: member.id }, createdBy: member.id }),
  ];
  store.write(({ apply }) => apply(links.map((link) => creationOf('one-time-link', link))));
  reader.renew();
  for (const link of links) test.strictSame(reader.queries.oneTimeLink(link.id), link);
});

t.test('members are found by email in any case, also after it has changed', async (test) => {
  const { store, reader } = newStore(test);
  const ada = memberOf({ email: 'Ada@Example.test' });
  const twin = memberOf({ email: 'ada@example.TEST' });
  store.write(({ apply }) => apply([creationOf('member', ada), creationOf('member', twin)]));
  reader.renew();
  test.equal([...reader.queries.membersByEmail('ADA@example.test')].length, 2);
  test.strictSame([...reader.queries.membersByEmail('ada@example.tes')], [], 'a prefix finds no member');
  for (const wrong of ['', '\0', 'x'.repeat(5000)])
    test.strictSame([...reader.queries.membersByEmail(wrong)], []);
  const renamed = { ...ada, email: 'ada.l@example.test' };
  store.write(({ apply }) => apply([{ kind: 'member', before: ada, after: renamed }]));
  reader.renew();
  test.strictSame([...reader.queries.membersByEmail('ada@example.test')], [twin]);
  test.strictSame([...reader.queries.membersByEmail('ada.l@example.test')], [renamed]);
});
