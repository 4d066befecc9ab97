import t from 'tap';
import { flagChangeOf, flagOf } from '../../storage/support/records.ts';
import { requestOf, runRead } from '../run-operation.ts';
import { openConsole } from './console-fixture.ts';

const state = { enabled: true, trafficPercentage: 50, cohortOverride: null, audienceId: null };

t.test('the list has every flag, sorted by name, with the number of cohorts', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const own = { ...state, cohortOverride: ['a', 'b', 'c'] };
  fixture.addFlag(project, { name: 'ä' });
  const flag = fixture.addFlag(project, { name: 'z', cohorts: ['1', '2'], states: new Map([[2, own]]) });
  fixture.addFlag(fixture.addProject(null), { name: 'foreign' });
  const { flags } = fixture.read('list-console-flags', { project }).value;
  t.strictSame(flags[0], {
    ...{ id: flag.id, name: 'z', description: '', tags: [], cohortCount: 2 },
    states: {
      1: { enabled: false, trafficPercentage: 0, cohortOverrideCount: null, audienceId: null },
      2: { enabled: true, trafficPercentage: 50, cohortOverrideCount: 3, audienceId: null },
    },
    ...{ revision: 1, updatedAt: 1 },
  });
  t.strictSame(
    flags.map(({ name }: { name: string }) => name),
    ['z', 'ä'],
  );
});

t.test('a list of ten thousand flags is made in pieces of one row', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const flags = Array.from({ length: 10_000 }, (_, index) => flagOf(project.id, { name: `flag-${index}` }));
  fixture.apply(flags.map((flag) => flagChangeOf(null, flag)));
  const { value } = fixture.read('list-console-flags', { project });
  t.equal(value.flags.length, 10_000);
  const pieces = fixture.query((queries) => {
    const answer = runRead('list-console-flags', queries, requestOf({}), { project }, {} as never);
    return answer.ok ? Array.from(answer.value.pieces?.text ?? [], (piece) => piece.length) : [];
  });
  t.equal(pieces.length, 10_001);
  t.ok(Math.max(...pieces) < 1000, 'no piece has more than a row');
});

t.test('flags of one name are found by it, of the project alone', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(null);
  const named = (name: string) => {
    const { value } = fixture.read('find-flags-named', { project, query: { name } });
    return { ...value, ids: value.ids.sort() };
  };
  const twins = [fixture.addFlag(project, { name: 'twin' }), fixture.addFlag(project, { name: 'twin' })];
  fixture.addFlag(project, { name: 'twin 2' });
  fixture.addFlag(fixture.addProject(null), { name: 'twin' });
  t.strictSame(named(' twin '), { ids: twins.map(({ id }) => id).sort(), isMore: false });
  t.strictSame(named('Twin'), { ids: [], isMore: false });
  t.strictSame(named(''), { ids: [], isMore: false });
  t.strictSame(named('x'.repeat(3000)), { ids: [], isMore: false }, 'longer than any name');
  for (let count = 0; count < 5; count += 1) fixture.addFlag(project, { name: 'twin' });
  t.match(named('twin'), { ids: { length: 5 }, isMore: true });
});

t.test('a trial says which rule decided, and why the others did not', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production', 'staging']);
  const rules = [
    { attribute: 'plan', values: ['pro', 'team'] },
    { attribute: 'country', values: ['ch'] },
  ];
  const audience = fixture.addAudience(project, { name: 'Swiss pros', rules });
  const staged = { ...state, cohortOverride: ['beta'], audienceId: audience.id };
  const flag = fixture.addFlag(project, { cohorts: ['wide'], states: new Map([[2, staged]]) });
  const attempt = (body: object) =>
    fixture.read('try-flag', {
      project,
      params: { flagId: flag.id },
      body: { environmentNumber: 2, ...body },
    });
  const told = (body: object) => {
    const { value } = attempt(body);
    const steps = value.steps.map(
      ({ rule, outcome }: { rule: string; outcome: string }) => `${rule} ${outcome}`,
    );
    return { ...value, steps, said: value.steps.map((step: { explanation: string }) => step.explanation) };
  };

  t.match(told({ environmentNumber: 1 }), {
    ...{ enabled: false, reason: 'flag-off', bucketPercent: null },
    steps: ['switch decides', 'cohort not-reached', 'audience not-reached', 'percentage not-reached'],
    said: ['The flag is off in production, so the answer is off for everybody.'],
  });
  t.match(told({ cohort: 'beta' }), {
    ...{ enabled: true, reason: 'cohort-match', steps: ['switch passes', 'cohort decides'] },
    said: ['The flag is on in staging.', /“beta” is on the environment’s own list, so the answer is on/],
  });
  const missed = told({ cohort: 'wide', attributes: [{ name: 'plan', value: 'free' }] });
  t.match(missed, {
    ...{ enabled: false, reason: 'audience-mismatch' },
    steps: ['switch passes', 'cohort passes', 'audience decides', 'percentage not-reached'],
  });
  t.equal(missed.said[1], 'Cohort “wide” is not on the environment’s own list.');
  t.equal(
    missed.said[2],
    'Audience “Swiss pros” does not match, so the answer is off: “plan” is “free”, and the rule asks for one of “pro”, “team”; “country” is missing, and the rule asks for “ch”.',
  );
  const attributes = [
    { name: 'plan', value: 'free' },
    { name: 'plan', value: 'team' },
    { name: 'country', value: 'ch' },
  ];
  const keyed = told({ targetingKey: 'user-1', attributes });
  t.match(keyed.said[2], 'Audience “Swiss pros” matches: “plan” is “team”; “country” is “ch”.');
  t.match(keyed.steps, ['switch passes', 'cohort passes', 'audience passes', 'percentage decides']);
  t.equal(keyed.enabled, keyed.bucketPercent < 50);
  t.match(keyed.said[3], new RegExp(`“user-1” falls at ${keyed.bucketPercent}%`));
  t.match(told({ cohort: 'x', attributes }).said[3], /the cohort is the key: “x” falls at/);
  const rolled = told({ attributes });
  t.equal(rolled.bucketPercent, null);
  t.match(rolled.reason, /^roll-/);
  t.match(rolled.said[3], /fresh random roll. This one fell at \d+(\.\d+)?%\. .*the next one may differ\.$/);
});

t.test('a trial that could be no request is refused', async (t) => {
  const fixture = openConsole(t);
  const project = fixture.addProject(['production']);
  const flag = fixture.addFlag(project);
  const attempt = (body: object, into = project, flagId = flag.id) =>
    fixture.read('try-flag', { project: into, params: { flagId }, body });
  t.equal(
    attempt({ environmentNumber: 0, targetingKey: '\ud800', attributes: [{ name: 'env', value: '' }] })
      .detail,
    [
      'environmentNumber is not an environment of this project (valid ones: production)',
      'targetingKey must be valid Unicode: it has a lone surrogate',
      'attributes[0].name must not be env: it is never an attribute',
    ].join('; '),
  );
  const many = Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' }));
  t.match(attempt({ environmentNumber: 1, attributes: many }), { detail: 'attributes must be at most 100' });
  t.equal(attempt({ environmentNumber: 1, attributes: many.slice(1) }).code, 'ok');
  const single = fixture.addProject(null);
  const alone = fixture.addFlag(single);
  t.match(attempt({ environmentNumber: 1 }, single, alone.id), { code: 'invalid-request', detail: /send 0/ });
  t.match(attempt({ environmentNumber: 0 }, single, alone.id).value.steps[0], {
    explanation: 'The flag is off, so the answer is off for everybody.',
  });
});
