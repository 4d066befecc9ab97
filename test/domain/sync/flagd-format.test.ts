import { FlagdCore } from '@openfeature/flagd-core';
import t from 'tap';
import { compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../../src/domain/evaluation/evaluation-context.ts';
import { isOn } from '../../../src/domain/evaluation/evaluation-reason.ts';
import { assignOpenFeatureContext } from '../../../src/domain/evaluation/open-feature-context.ts';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import type { SyncFlag, SyncSnapshot } from '../../../src/domain/sync/configuration.ts';
import { flagdConfiguration } from '../../../src/domain/sync/flagd-format.ts';
import { createRandom } from '../../support/random.ts';
import { randomContext, randomSnapshot, type SentContext } from './random-snapshot.ts';

/** The evaluation is flagd's own, as in its provider for JavaScript. */
function flagdWith(snapshot: SyncSnapshot): FlagdCore {
  const failed = (...told: unknown[]): never => {
    throw new Error(told.join(' '));
  };
  const logger = { error: failed, warn: failed, info: () => undefined, debug: () => undefined };
  const core = new FlagdCore(undefined, logger);
  core.setConfigurations([...flagdConfiguration(snapshot)].join(''));
  return core;
}

const project: Project = {
  ...{ id: 'ProjectProjectProjec', name: 'shop', organisationId: null, ownerMemberId: null },
  ...{ isMultiEnvironment: false, environments: [], nextEnvironmentNumber: 1, environmentsRevision: 1 },
  ...{
    evaluationAccess: true,
    isProtected: false,
    slugs: [],
    isSlugPublic: false,
    createdAt: 1,
    revision: 1,
  },
};

/** The answer of Burgee's own rules; a roll is lost, because flagd rolls nothing. */
function ownAnswer(flag: SyncFlag, snapshot: SyncSnapshot, sent: SentContext): boolean {
  const { id, name, enabled, trafficPercentage, cohorts, audienceId, revision } = flag;
  const state = {
    enabled,
    trafficPercentage,
    cohortOverride: cohorts.length > 0 ? cohorts : null,
    audienceId,
  };
  const stored: Flag = {
    ...{
      id,
      projectId: project.id,
      name,
      nameSince: 1,
      aliases: [],
      description: '',
      tags: [],
      cohorts: [],
      revision,
    },
    ...{ states: new Map([[0, state]]), createdAt: 1, updatedAt: 1 },
  };
  const audience = snapshot.audiences.find((other) => other.id === audienceId);
  const compiled = compileFlag(stored, project, () =>
    audience === undefined
      ? undefined
      : { ...audience, projectId: project.id, name: '', createdAt: 1, updatedAt: 1, revision: 1 },
  );
  const context = new EvaluationContext();
  assignOpenFeatureContext(context, sent, null);
  const selected = selectState(compiled, context);
  if (selected === null) throw new Error('a flag without its state');
  return isOn(evaluateFlag(compiled, selected, context, () => 2 ** 32 - 1));
}

function answerOf(core: FlagdCore, key: string, sent: SentContext): boolean {
  const { value, errorCode } = core.resolveBooleanEvaluation(key, false, sent as Record<string, string>);
  if (errorCode !== undefined) throw new Error(`${key}: ${errorCode}`);
  return value;
}

t.test(
  '2,000 random flags give the answers of the own rules; with keys beyond ASCII, only buckets differ',
  async (t) => {
    const seed = 69;
    const random = createRandom(seed);
    let [compared, differing, on] = [0, 0, 0];
    for (let round = 0; round < 20; round += 1) {
      const snapshot = randomSnapshot(random, 100);
      const core = flagdWith(snapshot);
      for (const flag of snapshot.flags) {
        for (let context = 0; context < 6; context += 1) {
          const isAscii = context < 4;
          const sent = randomContext(random, isAscii);
          const own = ownAnswer(flag, snapshot, sent);
          const theirs = answerOf(core, flag.id, sent);
          compared += 1;
          on += own ? 1 : 0;
          if (own === theirs) continue;
          const isBucketed = flag.trafficPercentage > 0 && flag.trafficPercentage < 100;
          if (isAscii || !isBucketed) {
            t.fail(`seed ${seed}: ${JSON.stringify({ flag, sent, own, theirs })}`);
            return;
          }
          differing += 1;
        }
      }
    }
    t.equal(compared, 12_000);
    t.ok(on > compared / 10 && on < compared * 0.9, `${on} of ${compared} are on`);
    t.comment(
      `${differing} of 4,000 answers for keys beyond ASCII differ: flagd's JavaScript hashes them differently`,
    );
    t.ok(differing > 0, 'named in docs/clients-flagd.md while flagd’s JavaScript does so');
  },
);

type EvaluationContextOf = Parameters<FlagdCore['resolveBooleanEvaluation']>[2];

interface Written {
  readonly flags: Readonly<Record<string, { readonly state: string; readonly targeting?: object }>>;
  readonly $evaluators: Readonly<Record<string, object>>;
  readonly metadata: object;
}

const writtenOf = (snapshot: SyncSnapshot): Written =>
  JSON.parse([...flagdConfiguration(snapshot)].join('')) as Written;

const flag = (id: string, rest: Partial<SyncFlag> = {}): SyncFlag => ({
  ...{
    id,
    name: `name of ${id}`,
    names: [rest.name ?? `name of ${id}`],
    revision: 3,
    enabled: true,
    trafficPercentage: 50,
  },
  ...{ cohorts: [], audienceId: null, ...rest },
});

const snapshotOf = (flags: readonly SyncFlag[], audiences: SyncSnapshot['audiences'] = []): SyncSnapshot => ({
  ...{ version: 'h.1', projectId: 'shop', environment: 'production', flags, audiences },
});

/*
 * What Go's JsonLogic compares differently from the one of JavaScript: each value that a program sends, with each kind of
 * list. test/providers asks the same of the published providers of other languages.
 */
t.test('values of every type are compared with every kind of list by their text', async (t) => {
  const lists = [['pro', 'team'], ['true'], ['false', '0'], ['42', '1.5', '-1'], ['1', '1.0', '007'], ['']];
  const scalars = [
    'pro',
    '',
    '0',
    '1',
    '1.0',
    '007',
    '42',
    'true',
    'false',
    0,
    1,
    7,
    42,
    1.5,
    -1,
    true,
    false,
  ];
  const sent = [...scalars, ...scalars.map((value) => ['x', value]), [], ['x', 0, true, 'pro']];
  for (const values of lists) {
    const audience = { id: 'AUD', rules: [{ attribute: 'plan', values }] };
    const one = flag('one_', { trafficPercentage: 100, audienceId: 'AUD' });
    const listed = flag('list', { trafficPercentage: 0, cohorts: values });
    const snapshot = snapshotOf([one, listed], [audience]);
    const core = flagdWith(snapshot);
    for (const value of sent) {
      for (const [asked, context] of [
        [one, { plan: value }],
        [listed, { cohort: value }],
      ] as const) {
        // A cohort has at least one character.
        if (asked === listed && values.includes('')) continue;
        const what = `${JSON.stringify(context)} of ${values}`;
        t.equal(answerOf(core, asked.id, context), ownAnswer(asked, snapshot, context), what);
      }
    }
  }
  const text = [
    ...flagdConfiguration(snapshotOf([flag('b', { trafficPercentage: 0, cohorts: ['pro'] })])),
  ].join('');
  t.match(
    text,
    '{"!":[{"in":[{"var":""},[0]]}]}',
    'Go takes a text for 0 where it compares it with a number',
  );
});

t.test(
  'a flag has its id for a key, and the names to which it answers, if no flag has them for an id',
  async (t) => {
    const flags = [
      flag('a'),
      flag('b', { name: 'twin', names: ['twin', 'former twin'] }),
      flag('c', { name: 'twin', names: [] }),
      flag('d', { name: 'a' }),
    ];
    const written = writtenOf(snapshotOf(flags));
    t.same(Object.keys(written.flags), ['a', 'name of a', 'b', 'twin', 'former twin', 'c', 'd']);
    t.same(written.flags['a'], written.flags['name of a']);
    t.same(written.metadata, { flagSetId: 'shop/production', scope: 'shop/production' });
  },
);

t.test(
  'a flag that is off is never DISABLED, for then providers answer the default of the code',
  async (t) => {
    const off = flag('off', { enabled: false, trafficPercentage: 100, cohorts: ['acme'] });
    const snapshot = snapshotOf([off]);
    t.same(writtenOf(snapshot).flags['off'], {
      ...{ state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' },
      metadata: { flagId: 'off', version: '3' },
    });
    const { value, reason } = flagdWith(snapshot).resolveBooleanEvaluation('off', true, { cohort: 'acme' });
    t.same({ value, reason }, { value: false, reason: 'STATIC' });
  },
);

t.test('the bucket is that of the flag’s id and the targeting key, otherwise the cohort', async (t) => {
  const written = writtenOf(snapshotOf([flag('FLAG', { trafficPercentage: 30 })]));
  const key = { $ref: 'bucketing-key' };
  t.same(written.flags['FLAG']?.targeting, {
    if: [key, { fractional: [{ cat: ['FLAG', key] }, ['on', 30], ['off', 70]] }, 'off'],
  });
  t.same(Object.keys(written.$evaluators), ['bucketing-key']);
});

t.test('audiences, and long lists of a flag with two keys, stand in it once', async (t) => {
  const long = Array.from({ length: 5000 }, (_, index) => `cohort-${index}`);
  const audience = { id: 'AUD', rules: [{ attribute: 'plan', values: ['pro'] }] };
  const flags = [flag('a', { cohorts: long, audienceId: 'AUD' }), flag('b', { audienceId: 'AUD' })];
  const snapshot = snapshotOf(flags, [audience]);
  t.same(Object.keys(writtenOf(snapshot).$evaluators), ['cohorts-a', 'audience-AUD', 'bucketing-key']);
  const text = [...flagdConfiguration(snapshot)].join('');
  t.equal(text.split('"cohort-4999"').length, 2, 'once');
  const core = flagdWith(snapshot);
  for (const key of ['a', 'name of a']) t.equal(answerOf(core, key, { cohort: 'cohort-4999' }), true, key);
  t.equal(answerOf(core, 'b', { plan: 'free', targetingKey: 'u' }), false);
});

t.test(
  'rules that a provider would spoil when it puts them in place stand where they are used',
  async (t) => {
    for (const value of ['$1', '$&', '\\d', 'größe', 'say "x"', '\u2028', '\n']) {
      const audience = { id: 'AUD', rules: [{ attribute: 'plan', values: [value] }] };
      const snapshot = snapshotOf([flag('a', { trafficPercentage: 100, audienceId: 'AUD' })], [audience]);
      t.same(writtenOf(snapshot).$evaluators, {}, value);
      t.equal(answerOf(flagdWith(snapshot), 'a', { plan: value }), true, value);
    }
  },
);

t.test('an attribute with a dot is the way to a part of an object', async (t) => {
  const audience = { id: 'AUD', rules: [{ attribute: 'user.plan', values: ['pro'] }] };
  const snapshot = snapshotOf([flag('a', { trafficPercentage: 100, audienceId: 'AUD' })], [audience]);
  const resolve = (context: EvaluationContextOf): boolean =>
    flagdWith(snapshot).resolveBooleanEvaluation('a', false, context).value;
  t.same([resolve({ user: { plan: 'pro' } }), resolve({ 'user.plan': 'pro' })], [true, false]);
});

t.test('a flag whose audience is missing is not on for everybody', async (t) => {
  const snapshot = snapshotOf([flag('a', { trafficPercentage: 100, audienceId: 'gone' })]);
  t.throws(() => writtenOf(snapshot), /flag a applies audience gone, which is missing/);
});
