import { deepStrictEqual, strictEqual } from 'node:assert';
import { hash } from 'node:crypto';
import t from 'tap';
import type { AuditEntry } from '../../src/domain/audit/audit-entry.ts';
import { type Flag, namesOf } from '../../src/domain/flag/flag.ts';
import type { KeptAnswer } from '../../src/domain/idempotency/kept-answer.ts';
import type { Member } from '../../src/domain/member/member.ts';
import type { Project } from '../../src/domain/project/project.ts';
import type { RecordChange } from '../../src/domain/record-change.ts';
import type { RecordQueries } from '../../src/domain/record-queries.ts';
import type { Identity } from '../../src/domain/session/identity.ts';
import type { OneTimeLink } from '../../src/domain/session/one-time-link.ts';
import type { Session } from '../../src/domain/session/session.ts';
import type { Denial } from '../../src/domain/token/denial.ts';
import type { Token } from '../../src/domain/token/token.ts';
import { checkStore } from '../../src/storage/check.ts';
import { openStore } from '../../src/storage/store.ts';
import { openStoreReader, type StoreReader } from '../../src/storage/store-reader.ts';
import { encodeAuditEntry } from '../../src/storage/tables/audit-record.ts';
import { createRandom, type Random } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  audienceOf,
  auditEntryOf,
  denialOf,
  flagOf,
  identityOf,
  keptAnswerOf,
  linkOf,
  memberOf,
  organisationOf,
  projectOf,
  sessionOf,
  tokenOf,
} from './support/records.ts';
import { mapBytes } from './support/sample-store.ts';

/*
 * The store against a model: lists of records, and the entries that were appended. Random transactions change both; some
 * are given up, and sometimes the store is opened again. Every query must answer as the model does, within a transaction
 * and on a snapshot, and `burgee check` must find nothing.
 */
const transactions = 100;
const seeds = [1, 2, 3];
const names = ['a', 'aa', 'b', 'A', 'é', '漢', '😀', '\uffff', 'a b', '__proto__', '😀'.repeat(200)];
const emails = ['ada@example.test', 'ADA@Example.test', 'ada@example.tes', 'İ@example.test'];

interface Logged {
  readonly kind: string;
  readonly projectId: string;
  readonly id: string;
  readonly environment: string | null;
}

/** The state that a store must have. */
class Model {
  readonly organisation = organisationOf();
  readonly projects: Project[] = [0, 1].map(() => projectOf(this.organisation.id));
  readonly audiences = this.projects.map(({ id }) => audienceOf(id));
  flags: readonly Flag[] = [];
  members: readonly Member[] = [];
  tokens: readonly Token[] = [];
  sessions: readonly Session[] = [];
  links: readonly OneTimeLink[] = [];
  identities: readonly Identity[] = [];
  answers: readonly KeptAnswer[] = [];
  audit: readonly AuditEntry[] = [];
  denials: readonly Denial[] = [];
  outbox: readonly Denial[] = [];
  log: readonly Logged[] = [];

  copy(): Model {
    return Object.assign(Object.create(Model.prototype) as Model, this);
  }
}

/** A record of the list before and after a random change: created, replaced or deleted. */
function replaceIn<T>(
  random: Random,
  list: readonly T[],
  change: (before: T | null) => T | null,
): { readonly before: T | null; readonly after: T | null; readonly list: readonly T[] } {
  const before = list.length > 0 && random.chance(0.6) ? random.pick(list) : null;
  const after = before !== null && random.chance(0.4) ? null : change(before);
  const others = list.filter((it) => it !== before);
  return { before, after, list: after === null ? others : [...others, after] };
}

type Step = (model: Model, random: Random) => readonly RecordChange[];

const steps: readonly Step[] = [
  function changeFlag(model, random) {
    const place = random.integer(0, 1);
    const projectId = (model.projects[place] as Project).id;
    const state = {
      enabled: random.chance(0.5),
      trafficPercentage: random.integer(0, 100),
      cohortOverride: random.chance(0.5) ? null : ['x'.repeat(random.integer(1, 9000))],
      audienceId: random.chance(0.5) ? null : (model.audiences[place]?.id ?? null),
    };
    const states = new Map([[0, state]]);
    const own = model.flags.filter((flag) => flag.projectId === projectId);
    const { before, after, list } = replaceIn(random, own, (flag) => {
      const owned = own.filter(({ id }) => id !== flag?.id).flatMap(namesOf);
      const [name, alias] = [random.pick(names), random.pick(names)];
      const nameSince = owned.includes(name) || random.chance(0.2) ? null : 1;
      const aliases = alias === name || owned.includes(alias) ? [] : [alias];
      const revision = (flag?.revision ?? 0) + 1;
      return flagOf(projectId, { ...flag, name, nameSince, aliases, states, revision });
    });
    model.flags = [...model.flags.filter((flag) => flag.projectId !== projectId), ...list];
    const id = (after ?? before)?.id;
    if (id === undefined) return [];
    const environment = random.chance(0.5) ? null : 'production';
    model.log = [...model.log, { kind: 'flag', projectId, id, environment }];
    return [{ kind: 'flag', before, after, environment }];
  },
  function changeToken(model, random) {
    const projectId = random.pick(model.projects).id;
    const { before, after, list } = replaceIn(random, model.tokens, (token) =>
      token === null ? tokenOf(projectId) : { ...token, revokedAt: random.integer(1, 9) },
    );
    model.tokens = list;
    if (after === null) {
      model.denials = model.denials.filter(({ tokenId }) => tokenId !== before?.id);
    }
    return [{ kind: 'token', before, after }];
  },
  function changeMember(model, random) {
    const { before, after, list } = replaceIn(random, model.members, (member) =>
      memberOf({ ...member, email: random.pick(emails) }),
    );
    if (after === null && model.sessions.some(({ memberId }) => memberId === before?.id)) return [];
    if (after === null && model.identities.some(({ memberId }) => memberId === before?.id)) return [];
    model.members = list;
    return [{ kind: 'member', before, after }];
  },
  function changeSession(model, random) {
    if (model.members.length === 0) return [];
    const memberId = random.pick(model.members).id;
    const { before, after, list } = replaceIn(random, model.sessions, (session) =>
      session === null ? sessionOf(memberId) : { ...session, lastSeenAt: random.integer(1, 99) },
    );
    model.sessions = list;
    return [{ kind: 'session', before, after }];
  },
  function changeLink(model, random) {
    const { before, after, list } = replaceIn(random, model.links, (link) =>
      link === null ? linkOf(model.organisation.id) : { ...link, expiresAt: random.integer(1, 99) },
    );
    model.links = list;
    return [{ kind: 'one-time-link', before, after }];
  },
  function changeIdentity(model, random) {
    if (model.members.length === 0) return [];
    const memberId = random.pick(model.members).id;
    const isEnded = model.identities.length > 0 && random.chance(0.5);
    const before = isEnded ? random.pick(model.identities) : null;
    const after = isEnded ? null : identityOf(memberId, { subject: `subject ${random.integer(1, 2 ** 31)}` });
    model.identities = [
      ...model.identities.filter((it) => it !== before),
      ...(after === null ? [] : [after]),
    ];
    return [{ kind: 'identity', before, after }];
  },
  function changeAnswer(model, random) {
    if (model.tokens.length === 0) return [];
    const isForgotten = model.answers.length > 0 && random.chance(0.5);
    const before = isForgotten ? random.pick(model.answers) : null;
    const key = `run-${random.integer(1, 2 ** 31)}`;
    const after = isForgotten
      ? null
      : keptAnswerOf(random.pick(model.tokens), { key, keptAt: random.integer(1, 2 ** 41) });
    model.answers = [...model.answers.filter((it) => it !== before), ...(after === null ? [] : [after])];
    return [{ kind: 'kept-answer', before, after }];
  },
  function appendAudit(model, random) {
    const ledgerId = random.chance(0.7) ? model.organisation.id : (model.projects[0] as Project).id;
    const subjects = { projectId: random.pick(model.projects).id, targetId: random.pick(model.audiences).id };
    const entry = auditEntryOf(ledgerId, { ...subjects, at: random.integer(1, 99) });
    model.audit = [...model.audit, entry];
    return [{ kind: 'audit', entry }];
  },
  function appendDenial(model, random) {
    if (model.tokens.length === 0) return [];
    const denial = denialOf(random.pick(model.tokens).id, { at: random.integer(1, 2 ** 41) });
    model.denials = [...model.denials, denial];
    if (random.chance(0.5)) return [{ kind: 'activity', denial }];
    model.outbox = [...model.outbox, denial];
    return [
      { kind: 'activity', denial },
      { kind: 'outbox', entry: { kind: 'denial-email', denial } },
    ];
  },
];

const byId = <T extends { readonly id: string }>(list: readonly T[]): readonly T[] =>
  [...list].sort((left, right) => (left.id < right.id ? -1 : 1));
const byName = (flags: readonly Flag[]): readonly Flag[] =>
  [...byId(flags)].sort((left, right) => Buffer.compare(Buffer.from(left.name), Buffer.from(right.name)));

function compareQueries(queries: RecordQueries, model: Model, before: Model): void {
  deepStrictEqual([...queries.projects()], byId(model.projects));
  deepStrictEqual([...queries.members()], byId(model.members));
  for (const email of emails) {
    const found = model.members.filter((member) => member.email.toLowerCase() === email.toLowerCase());
    deepStrictEqual([...queries.membersByEmail(email)], byId(found), email);
  }
  for (const [index, { id }] of model.projects.entries()) {
    const flags = byName(model.flags.filter(({ projectId }) => projectId === id));
    deepStrictEqual([...queries.flagsOf(id)], flags);
    const places = flags.map((flag) => ({ name: flag.name, id: flag.id }));
    deepStrictEqual([...queries.flagPlacesOf(id)], places);
    const name = names[model.log.length % names.length] ?? '';
    const named = flags.filter((flag) => flag.name === name);
    deepStrictEqual([...queries.flagsOf(id, name)], named, name);
    const owner = flags.find((flag) => namesOf(flag).includes(name));
    strictEqual(queries.flagNamed(id, name), owner?.id, name);
    const audienceId = model.audiences[index]?.id ?? '';
    const naming = flags.filter(({ states }) => states.get(0)?.audienceId === audienceId);
    deepStrictEqual([...queries.flagsNaming(id, audienceId)], naming);
    const tokens = model.tokens.filter(({ projectId }) => projectId === id);
    deepStrictEqual([...queries.tokensOf(id)], byId(tokens));
    const answers = model.answers.filter(({ projectId }) => projectId === id);
    const kept = answers.map(({ keptAt }) => keptAt).sort((left, right) => left - right);
    deepStrictEqual(
      Array.from(queries.keptAnswersOf(id), ({ keptAt }) => keptAt),
      kept,
    );
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
    deepStrictEqual(queries.keptAnswersUsage(id), { entries: answers.length, bytes });
  }
  for (const answer of model.answers) deepStrictEqual(queries.keptAnswer(answer.tokenId, answer.key), answer);
  for (const { id, memberId } of model.sessions) {
    const own = model.sessions.filter((session) => session.memberId === memberId);
    deepStrictEqual([...queries.sessionsOf(memberId)], byId(own), id);
  }
  deepStrictEqual([...queries.oneTimeLinksOf(model.organisation.id)], byId(model.links));
  for (const { issuer, subject, memberId } of before.identities) {
    const own = model.identities.filter((it) => it.memberId === memberId);
    deepStrictEqual([...queries.identitiesOf(memberId)].length, own.length);
    const expected = own.find((it) => it.subject === subject);
    deepStrictEqual(queries.identity(issuer, subject), expected);
  }
  // What was deleted since the last comparison is looked up as well.
  for (const { id, secretHash } of [...before.tokens, ...model.tokens]) {
    const expected = model.tokens.find((token) => token.id === id);
    deepStrictEqual(queries.token(id), expected);
    deepStrictEqual(queries.tokenBySecretHash(secretHash), expected);
    const denials = model.denials.filter(({ tokenId }) => tokenId === id).reverse();
    deepStrictEqual([...queries.denialsOf(id)], denials);
  }
  for (const { secretHash, id } of [...before.sessions, ...model.sessions]) {
    const expected = model.sessions.find((session) => session.id === id);
    deepStrictEqual(queries.sessionBySecretHash(secretHash), expected);
  }
  for (const { secretHash, id } of [...before.links, ...model.links]) {
    const expected = model.links.find((link) => link.id === id);
    deepStrictEqual(queries.oneTimeLinkBySecretHash(secretHash), expected);
  }
  const outbox = model.outbox.map((denial, index) => {
    return { sequence: index + 1, entry: { kind: 'denial-email', denial } };
  });
  deepStrictEqual([...queries.outboxAfter(0)], outbox);
  for (const ledgerId of [model.organisation.id, model.projects[0]?.id ?? '']) {
    const entries = model.audit.filter((entry) => entry.ledgerId === ledgerId);
    const numbered = entries.map((entry, index) => ({ entry, sequence: index + 1 })).reverse();
    const subjectId = model.audiences[0]?.id ?? '';
    const about = numbered.filter(({ entry }) => entry.targetId === subjectId);
    for (const [range, expected] of [
      [{}, numbered],
      [{ subjectId }, about],
      [{ subjectId, before: 5 }, about.filter(({ sequence }) => sequence < 5)],
    ] as const) {
      const found = Array.from(queries.auditOf(ledgerId, range), ({ sequence, entry }) => [
        sequence,
        entry.id,
      ]);
      deepStrictEqual(
        found,
        expected.map(({ sequence, entry }) => [sequence, entry.id]),
      );
    }
  }
}

/** The logs that only a reader of the whole store sees: the change log, and the chain of each ledger. */
function compareLogs(reader: StoreReader, model: Model): void {
  const log = model.log.map((logged, index) => ({ sequence: index + 1, ...logged, number: index + 1 }));
  deepStrictEqual([...reader.changeLog()], log);
  deepStrictEqual(reader.changesSince(log.length - 3), log.slice(-3));
  let previousHash: Uint8Array = Buffer.alloc(32);
  const entries = model.audit.filter(({ ledgerId }) => ledgerId === model.organisation.id);
  const chained = entries.map((entry, index) => {
    const own = hash('sha256', Buffer.concat([previousHash, encodeAuditEntry(entry)]), 'buffer');
    const stored = { sequence: index + 1, entry, previousHash, hash: own };
    previousHash = own;
    return stored;
  });
  deepStrictEqual([...reader.auditEntries(model.organisation.id)], chained);
}

for (const seed of seeds) {
  t.test(`the store answers as its model after random transactions, seed ${seed}`, async (test) => {
    const random = createRandom(seed);
    const directory = temporaryDirectory(test);
    let store = openStore({ directory, mapBytes });
    let reader = openStoreReader({ directory, mapBytes });
    const close = async (): Promise<void> => {
      await reader.close();
      await store.close();
    };
    test.teardown(close);
    let model = new Model();
    store.write(({ apply }) =>
      apply([
        { kind: 'organisation', before: null, after: model.organisation },
        ...model.projects.map((after) => ({ kind: 'project', before: null, after }) as const),
        ...model.audiences.map((after) => ({ kind: 'audience', before: null, after }) as const),
      ]),
    );
    const logged = (id: string, projectId: string): Logged => ({
      ...{ kind: 'project', projectId, id, environment: null },
    });
    model.log = [
      ...model.projects.map(({ id }) => logged(id, id)),
      ...model.audiences.map(({ id, projectId }) => logged(id, projectId)),
    ];
    let compared = model;
    compareQueries(reader.queries, model, compared);
    for (let transaction = 1; transaction <= transactions; transaction += 1) {
      const next = model.copy();
      const isGivenUp = random.chance(0.15);
      const givenUp = new Error('given up');
      const run = (): void =>
        store.write(({ queries, apply }) => {
          for (let left = random.integer(1, 4); left > 0; left -= 1) apply(random.pick(steps)(next, random));
          if (transaction % 4 === 0) compareQueries(queries, next, compared);
          if (isGivenUp) throw givenUp;
        });
      if (isGivenUp) test.throws(run, givenUp);
      else run();
      if (transaction % 4 === 1) compareQueries(reader.queries, compared, compared);
      if (!isGivenUp) model = next;
      if (random.chance(0.05)) {
        await close();
        store = openStore({ directory, mapBytes });
        reader = openStoreReader({ directory, mapBytes });
      }
      reader.renew();
      compareQueries(reader.queries, model, compared);
      compareLogs(reader, model);
      compared = model;
    }
    test.strictSame([...checkStore(directory)], []);
    test.ok(model.flags.length > 0 && model.audit.length > 10, 'the run had some length');
  });
}
