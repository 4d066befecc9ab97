import t, { type Test } from 'tap';
import { keptAnswersMax } from '../../../src/domain/bounds.ts';
import { forgottenForRoomMax } from '../../../src/domain/idempotency/answer-keeping.ts';
import type { KeptAnswer } from '../../../src/domain/idempotency/kept-answer.ts';
import type { Token } from '../../../src/domain/token/token.ts';
import { openFixture, startedAt } from './management-fixture.ts';

const dayMs = 86_400_000;
const body = { name: 'new' };

function prepare(t: Test) {
  const fixture = openFixture(t);
  const project = fixture.addProject(null);
  const { token, authorization } = fixture.addToken(project);
  const create = (idempotencyKey: string, sent: unknown = body, presented = authorization) =>
    fixture.write('create-flag', { authorization: presented, idempotencyKey, body: sent });
  const flagCount = () => fixture.query((queries) => [...queries.flagsOf(project.id)].length);
  const usage = () => fixture.query((queries) => queries.keptAnswersUsage(project.id));
  return { fixture, project, token, create, flagCount, usage };
}

function keptOf({ id: tokenId, projectId }: Token, key: string, keptAt: number, bytes = 300): KeptAnswer {
  const requestHash = new Uint8Array(32);
  return {
    projectId,
    tokenId,
    key,
    keptAt,
    bytes,
    requestHash,
    entityTag: '"1-1"',
    nameTakenBy: null,
    body: '{}',
  };
}

t.test('flag, audit entry and answer are one change; the repetition changes nothing', async (t) => {
  const { create, flagCount, usage } = prepare(t);
  const first = create('k');
  t.match(first, { status: 201, entityTag: '"1-1"' });
  t.same(
    first.changes.map(({ kind }) => kind),
    ['flag', 'audit', 'kept-answer'],
  );
  const second = create('k');
  t.match(second, { status: 201, text: first.text, entityTag: first.entityTag, tokenId: first.tokenId });
  t.same(second.changes, []);
  t.equal(flagCount(), 1);
  t.equal(usage().entries, 1);
});

t.test('at exactly 24 hours a key is free again', async (t) => {
  const { fixture, create, flagCount, usage } = prepare(t);
  const first = create('k');
  fixture.now = startedAt + dayMs - 1;
  t.equal(create('k').text, first.text);
  t.equal(create('k', { name: 'other' }).status, 400);
  fixture.now = startedAt + dayMs;
  const other = create('k', { name: 'other' });
  t.match(other, { status: 201, body: { name: 'other' } });
  t.same(
    other.changes.map(({ kind }) => kind),
    ['flag', 'audit', 'kept-answer', 'kept-answer'],
  );
  t.equal(create('k', { name: 'other' }).text, other.text);
  t.equal(flagCount(), 2);
  t.equal(usage().entries, 1, 'the old answer is deleted with it');
});

t.test('the key is still known when the clock goes back', async (t) => {
  const { fixture, create } = prepare(t);
  const first = create('k');
  fixture.now = startedAt - 400 * dayMs;
  t.equal(create('k').text, first.text);
});

t.test('a key belongs to its token, and the guard comes first', async (t) => {
  const { fixture, project, token, create, flagCount } = prepare(t);
  create('k');
  t.equal(create('k', body, fixture.addToken(project).authorization).status, 201);
  t.equal(flagCount(), 2);
  fixture.apply([{ kind: 'token', before: token, after: { ...token, revokedAt: 1, revision: 2 } }]);
  t.match(create('k'), { status: 401, body: { error: 'Token revoked' } });
});

t.test(
  'the first answer is repeated after the flag is deleted, and after any change of the token\u2019s list',
  async (t) => {
    const { fixture, token, create } = prepare(t);
    const first = create('k', { name: 'new', enabled: true });
    const flag = fixture.query((queries) => queries.flag(first.body.id));
    t.ok(flag);
    fixture.apply([{ kind: 'flag', before: flag ?? null, after: null, environment: null }]);
    fixture.apply([
      { kind: 'token', before: token, after: { ...token, environments: ['gone'], revision: 2 } },
    ]);
    t.equal(create('k', { name: 'new', enabled: true }).text, first.text);
  },
);

t.test('a refusal is not kept', async (t) => {
  const { create, usage } = prepare(t);
  for (const sent of [{}, { name: '' }, { name: 'x', y: 1 }]) {
    t.match(create('k', sent), { status: 400, changes: [] });
  }
  t.same(usage(), { entries: 0, bytes: 0 });
  t.equal(create('k').status, 201);
});

t.test('with 10,000 younger answers a new key gets a 503, and an old one still works', async (t) => {
  const { fixture, token, create, flagCount, usage } = prepare(t);
  const first = create('k');
  const more = Array.from({ length: keptAnswersMax.entries - 1 }, (_, index) =>
    keptOf(token, `other-${index}`, startedAt + 1),
  );
  fixture.apply(more.map((after) => ({ kind: 'kept-answer', before: null, after })));
  t.equal(usage().entries, keptAnswersMax.entries);
  const refused = create('new');
  t.match(refused, { status: 503, changes: [], body: { error: 'Service unavailable' } });
  t.match(refused.body.detail, /24 hours/);
  t.equal(refused.retryAfter, dayMs / 1000, 'until the oldest is deleted');
  t.equal(create('k').text, first.text);
  t.equal(flagCount(), 1, 'nothing was created');
  t.equal(fixture.write('create-flag', { authorization: null, body }).status, 401);

  fixture.now = startedAt + dayMs;
  t.equal(create('new').status, 201, 'the one old answer is replaced');
  t.equal(usage().entries, keptAnswersMax.entries);
  t.match(create('newer'), { status: 503, retryAfter: 1 }, 'a second at least');
  fixture.now = startedAt + 1 - 1500;
  t.match(create('newer'), { status: 503, retryAfter: dayMs / 1000 }, 'with a clock that has gone back');
  fixture.now = startedAt + 1 + dayMs;
  t.equal(create('newer').status, 201);
  t.equal(usage().entries, keptAnswersMax.entries);
});

t.test(
  'with 64 MiB of younger answers a new key gets a 503; as many old ones are deleted as needed',
  async (t) => {
    const { fixture, token, create, usage } = prepare(t);
    const small = Array.from({ length: 10 }, (_, index) => keptOf(token, `small-${index}`, startedAt, 100));
    const large = keptOf(token, 'large', startedAt + 1, keptAnswersMax.bytes - 1000);
    for (const after of [...small, large]) fixture.apply([{ kind: 'kept-answer', before: null, after }]);
    t.equal(usage().bytes, keptAnswersMax.bytes);
    t.equal(create('new').status, 503);
    fixture.now = startedAt + dayMs;
    const created = create('new');
    t.equal(created.status, 201);
    const forgotten = created.changes.filter(
      (change) => change.kind === 'kept-answer' && change.after === null,
    );
    t.ok(forgotten.length >= 3 && forgotten.length < 10, `${forgotten.length} of ten small ones`);
    t.ok(usage().bytes <= keptAnswersMax.bytes);
  },
);

t.test('the deletions of one create are bounded', async (t) => {
  const { fixture, token, create } = prepare(t);
  const tiny = Array.from({ length: forgottenForRoomMax + 1 }, (_, index) =>
    keptOf(token, `${index}`, startedAt, 0),
  );
  const large = keptOf(token, 'large', startedAt + 1, keptAnswersMax.bytes);
  fixture.apply([...tiny, large].map((after) => ({ kind: 'kept-answer', before: null, after })));
  fixture.now = startedAt + dayMs + 1;
  t.match(create('new'), { status: 503, changes: [] });
});
