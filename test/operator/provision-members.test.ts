import t from 'tap';
import { creationOf, identityOf, linkOf, sessionOf } from '../storage/support/records.ts';
import { type OpenedOperator, openOperator, problemsOf } from './open-operator.ts';

/* What a file may change about members who sign in, and what each change ends. */
const password = 'correct horse battery';

interface Declared {
  readonly name: string;
  readonly role: string;
  readonly password?: string;
}

const documentOf = (...members: readonly Declared[]) => ({
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      members: members.map((member) => ({ email: `${member.name}@example.test`, ...member })),
    },
  ],
});

function memberNow({ reader }: OpenedOperator, name: string) {
  const member = [...reader().queries.members()].find((each) => each.name === name);
  if (member === undefined) throw new Error(`no member ${name}`);
  return member;
}

const refused = [
  'organisations[0].members leave the organisation "Acme" without an Owner who can sign in: keep one, or give another member the role owner and a password',
];

t.test('no file can remove the last Owner who can sign in', async (t) => {
  const operator = openOperator(t);
  const apply = async (...members: readonly Declared[]) =>
    problemsOf(await operator.apply(documentOf(...members)));
  t.strictSame(await apply({ name: 'ada', role: 'owner', password }, { name: 'bob', role: 'owner' }), []);
  t.strictSame(await apply({ name: 'ada', role: 'admin' }), refused, 'bob is an Owner without a password');
  const carl = { name: 'carl', role: 'owner' };
  t.strictSame(
    await apply({ name: 'ada', role: 'admin' }, carl),
    refused,
    'a new one without a password does not help',
  );
  t.equal(memberNow(operator, 'ada').role, 'owner', 'nothing is applied');
  t.equal([...operator.reader().queries.members()].length, 2);
  t.strictSame(
    await apply({ name: 'ada', role: 'admin' }, { ...carl, password }),
    [],
    'a new one with a password does',
  );
  t.strictSame(
    await apply({ name: 'carl', role: 'viewer' }, { name: 'ada', role: 'owner' }),
    [],
    'they swap',
  );
  const identity = identityOf(memberNow(operator, 'bob').id);
  operator.store.write((transaction) => transaction.apply([creationOf('identity', identity)]));
  t.strictSame(
    await apply({ name: 'ada', role: 'editor' }),
    [],
    'an account at a provider is a way to sign in',
  );
});

t.test('there must be an Owner, who need not be able to sign in if none could before', async (t) => {
  const operator = openOperator(t);
  const apply = async (...members: readonly Declared[]) =>
    problemsOf(await operator.apply(documentOf(...members)));
  t.strictSame(await apply({ name: 'ada', role: 'owner' }, { name: 'bob', role: 'owner' }), []);
  t.strictSame(await apply({ name: 'ada', role: 'viewer' }), []);
  t.strictSame(await apply({ name: 'bob', role: 'viewer' }), refused);
});

t.test('a new password ends the member’s sessions and sign-in links, a new role the links', async (t) => {
  const operator = openOperator(t);
  const people = ['ada', 'bob', 'carl'].map((name) => ({ name, role: 'owner', password }));
  t.strictSame(problemsOf(await operator.apply(documentOf(...people))), []);
  for (const { name } of people) {
    const { id, organisationId } = memberNow(operator, name);
    const link = linkOf(organisationId ?? '', { purpose: { kind: 'sign-in', memberId: id } });
    operator.store.write((transaction) =>
      transaction.apply([
        creationOf('session', sessionOf(id)),
        creationOf('session', sessionOf(id)),
        creationOf('one-time-link', link),
      ]),
    );
  }
  const [ada, bob, carl] = people;
  const changed = [
    { ...ada, name: 'ada', role: 'owner', password: 'another horse battery' },
    { ...bob, name: 'bob', role: 'admin' },
    { ...carl, name: 'carl', role: 'owner' },
  ];
  t.strictSame(problemsOf(await operator.apply(documentOf(...changed))), []);
  const left = people.map(({ name }) => {
    const { id, organisationId } = memberNow(operator, name);
    const { queries } = operator.reader();
    const links = [...queries.oneTimeLinksOf(organisationId ?? '')].filter(
      ({ purpose }) => purpose.kind === 'sign-in' && purpose.memberId === id,
    );
    return { name, sessions: [...queries.sessionsOf(id)].length, links: links.length };
  });
  t.strictSame(left, [
    { name: 'ada', sessions: 0, links: 0 },
    { name: 'bob', sessions: 2, links: 0 },
    { name: 'carl', sessions: 2, links: 1 },
  ]);
});
