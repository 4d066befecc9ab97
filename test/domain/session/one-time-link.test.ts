import t from 'tap';
import { endOffers, storeOffer } from '../../../src/domain/session/first-owner-offer.ts';
import { findUsableLink } from '../../../src/domain/session/link-rules.ts';
import type { OneTimeLink } from '../../../src/domain/session/one-time-link.ts';
import { makeFirstOwnerOffer } from '../../../src/supervisor/make-first-owner-offer.ts';
import { hashSecret } from '../../../src/support/hash-secret.ts';
import { creationOf, memberOf, organisationOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';

/* Links at the limits of their lifetime, and the first Owner's link. */
const hourMs = 60 * 60 * 1000;
const now = 1_750_000_000_000;

t.test('the first Owner’s link works while there is no member, for exactly 24 hours', async (t) => {
  const { store } = newStore(t);
  const [younger, oldest] = [organisationOf({ createdAt: 9 }), organisationOf({ createdAt: 3 })];
  const { offer, url } = makeFirstOwnerOffer('https://flags.example', now);
  const secret = url.replace('https://flags.example/console/link#', '');
  const found = (at: number, text = secret) =>
    store.write(({ queries }) =>
      findUsableLink(queries, text, { now: at, hashSecret, isCluster: false, firstOwnerOffer: offer }),
    );
  t.match(found(now), { ok: false }, 'without an organisation there is nothing to own');
  store.write(({ apply }) => apply([younger, oldest].map((one) => creationOf('organisation', one))));
  t.match(found(now), {
    ok: true,
    value: { organisationId: oldest.id, purpose: { kind: 'first-owner' }, createdBy: null },
  });
  t.match(found(now + 24 * hourMs - 1), { ok: true });
  t.match(found(now + 24 * hourMs), { ok: false, problem: { code: 'link-over' } });
  const other = makeFirstOwnerOffer('', now).url.split('#')[1] ?? '';
  t.match(found(now, other), { ok: false }, 'the link of another start');
  store.write(({ apply }) => apply([creationOf('member', memberOf({ organisationId: younger.id }))]));
  t.match(found(now), { ok: false, problem: { code: 'link-over' } }, 'it ends once there is a member');
});

t.test('a cluster stores ten first Owner’s links, and ends all of them', async (t) => {
  const { store } = newStore(t);
  const organisation = organisationOf();
  store.write(({ apply }) => apply([creationOf('organisation', organisation)]));
  const links = (): readonly OneTimeLink[] =>
    store.write(({ queries }) => [...queries.oneTimeLinksOf(organisation.id)]);
  for (let start = 0; start < 13; start += 1) {
    const { offer } = makeFirstOwnerOffer('', now + start);
    store.write(({ queries, apply }) => apply(storeOffer(queries, offer)));
  }
  const kept = links().map(({ createdAt }) => createdAt - now);
  t.same(
    kept.sort((one, other) => one - other),
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    'the newest ones',
  );
  store.write(({ apply }) => apply([creationOf('member', memberOf({ organisationId: organisation.id }))]));
  const { offer } = makeFirstOwnerOffer('', now);
  store.write(({ queries }) => t.same(storeOffer(queries, offer), [], 'none where there is a member'));
  store.write(({ queries, apply }) => apply(endOffers(queries, organisation.id)));
  t.same(links(), []);
});
