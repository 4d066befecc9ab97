import t from 'tap';
import { hourMs, hourOf } from '../../../src/domain/usage/evaluation-count.ts';
import {
  audienceOf,
  creationOf,
  evaluationCountOf,
  flagChangeOf,
  flagOf,
  projectOf,
} from '../../storage/support/records.ts';
import { fieldsOf, OperationStage } from './operation-stage.ts';

t.setTimeout(120_000);

const off = { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null };
const rules = [{ attribute: 'plan', values: ['pro', 'team'] }];

const stage = new OperationStage(t);
const ownerId = stage.member('owner', { name: 'Olga' });

/** An organisation below Teams whose flag has an audience from better days. */
const free = stage.prepared.addOrganisation('Free', { plan: 'free', trialEndsAt: Date.now() - 60_000 });
const freeId = stage.member('owner', { organisationId: free.id });
const trial = stage.prepared.addOrganisation('Trial', { plan: 'free', trialEndsAt: Date.now() + 3_600_000 });
const trialId = stage.member('owner', { organisationId: trial.id });
const environments = ['production', 'staging'].map((name, index) => ({
  ...{ number: index + 1, name, isProtected: false },
}));
const multi = { isMultiEnvironment: true, environments, nextEnvironmentNumber: 3 };
const [poor, trying] = [free, trial].map(({ id }) => projectOf(id, multi));
const pro = audienceOf(poor?.id ?? '');
const other = audienceOf(poor?.id ?? '', { name: 'Other' });
const kept = { ...off, enabled: true, audienceId: pro.id };
const attached = flagOf(poor?.id ?? '', { states: new Map([[1, kept]]) });
stage.add([poor, trying].flatMap((project) => (project ? [creationOf('project', project)] : [])));
stage.add([pro, other].map((audience) => creationOf('audience', audience)));
stage.add([flagChangeOf(null, attached)]);

/** A flag with counts of evaluations; environment 9 has been deleted. */
const counted = projectOf(stage.prepared.organisation.id, { name: 'counted', ...multi });
const countedFlag = flagOf(counted.id, { name: 'counted', states: new Map() });
const now = hourOf(Date.now());
const at = (hoursAgo: number, environmentNumber: number) => {
  const fields = { hour: now - hoursAgo * hourMs, environmentNumber, on: 3, off: 1 };
  return { kind: 'evaluation-count', count: evaluationCountOf(countedFlag.id, fields) } as const;
};
stage.add([creationOf('project', counted), flagChangeOf(null, countedFlag)]);
/** The API may create a second flag of a name, which does not answer to it. */
const sameName = {
  first: flagOf(counted.id, { name: 'same', states: new Map() }),
  later: flagOf(counted.id, { name: 'same', nameSince: null, states: new Map() }),
};
const renamed = flagOf(counted.id, { name: 'now', aliases: ['taken meanwhile'], states: new Map() });
const meanwhile = flagOf(counted.id, { name: 'taken meanwhile', nameSince: null, states: new Map() });
stage.add([flagChangeOf(null, renamed), flagChangeOf(null, meanwhile)]);
stage.add(Object.values(sameName).map((flag) => flagChangeOf(null, flag)));
stage.add([at(2, 1), at(26, 1), at(5, 2), at(5, 9)]);
const used = audienceOf(counted.id, { name: 'Used' });
const using = new Map([[1, { ...off, audienceId: used.id }]]);
stage.add([creationOf('audience', used)]);
stage.add(Array.from({ length: 201 }, () => flagChangeOf(null, flagOf(counted.id, { states: using }))));

/** A project whose 100 flags have 100 distinct states each. */
const varied = projectOf(stage.prepared.organisation.id, {
  ...{ name: 'varied', isMultiEnvironment: true, nextEnvironmentNumber: 101 },
  environments: Array.from({ length: 100 }, (_, at) => ({
    ...{ number: at + 1, name: `e-${at}`, isProtected: false },
  })),
});
stage.add([creationOf('project', varied)]);
stage.add(
  Array.from({ length: 100 }, (_, index) => {
    const cohortOverride = Array.from({ length: index + 1 }, (_, item) => String(item));
    const states = Array.from({ length: 100 }, (_, at) => {
      return [at + 1, { ...off, trafficPercentage: at + 1, cohortOverride }] as const;
    });
    const name = `flag-${String(index).padStart(3, '0')}`;
    return flagChangeOf(null, flagOf(varied.id, { name, states: new Map(states) }));
  }),
);

await stage.start();
const owner = stage.as(ownerId);
const audited = () => stage.audited(owner);

async function project(names: readonly string[] | null) {
  const body = { isMultiEnvironment: names !== null, ...(names === null ? {} : { environments: names }) };
  projects += 1;
  const { id } = await owner(201, 'POST /projects', { name: `project ${projects}`, ...body });
  const path = `/projects/${id}`;
  const make = (what: string, body: object) => owner(201, `POST ${path}/${what}`, body);
  const audience = (name = 'Pro') => make('audiences', { name, rules });
  return { id, path, audience, flag: (body: object) => make('flags', body) };
}
let projects = 0;

t.test('a flag is created with labels, flag-wide cohorts and states at once', async (t) => {
  const { id: projectId, path, audience, flag } = await project(['production', 'staging', 'dev']);
  const { id: audienceId } = await audience();
  await audited();
  const created = await flag({
    ...{ name: ' checkout ', description: 'new', tags: ['a', 'b'], cohorts: ['wide'] },
    states: {
      2: { enabled: true, trafficPercentage: 50, cohorts: ['own'], audienceId },
      1: { cohorts: ['wide'] },
      3: { cohorts: null, enabled: false },
    },
  });
  const { id, createdAt, updatedAt, ...view } = created;
  const state = { enabled: true, trafficPercentage: 50, cohortOverride: ['own'], audienceId };
  t.strictSame(view, {
    ...{ projectId, name: 'checkout', answersToName: true, aliases: [] },
    ...{ description: 'new', tags: ['a', 'b'], cohorts: ['wide'] },
    states: { 1: off, 2: state, 3: off },
    revision: 1,
  });
  t.equal(createdAt, updatedAt);
  t.strictSame(await owner(200, `GET ${path}/flags/${id}`), created);
  const [entry] = await audited();
  t.match(entry, { action: 'flag.create', targetId: id, targetName: 'checkout', environment: null });
  t.strictSame(fieldsOf(entry), [
    ['name', null, 'checkout'],
    ['description', null, 'new'],
    ['tags', null, ['a', 'b']],
    ['environments.staging.enabled', null, true],
    ['environments.staging.trafficPercentage', null, 50],
    ['environments.staging.cohorts', null, ['own']],
    ['environments.staging.audienceId', null, audienceId],
    ['cohorts', null, ['wide']],
  ]);
});

t.test('a draft is stored completely, with one entry that names its environments', async (t) => {
  const { path, flag } = await project(['production', 'staging']);
  const { id } = await flag({ name: 'checkout', tags: ['old'] });
  await audited();
  const edit = (revision: number, draft: object) =>
    owner(200, `PATCH ${path}/flags/${id}`, { revision, ...draft });
  const whole = await edit(1, {
    ...{ name: 'pay', description: 'x', tags: [], cohorts: ['wide'] },
    states: { 1: { enabled: true }, 2: { trafficPercentage: 50, cohorts: ['own'] } },
  });
  t.match(whole, { changed: true, flag: { name: 'pay', revision: 2 } });
  const [entry] = await audited();
  t.match(entry, {
    ...{ action: 'flag.edit', targetName: 'pay', environment: null, actor: { id: ownerId } },
  });
  t.strictSame(fieldsOf(entry), [
    ['name', 'checkout', 'pay'],
    ['description', '', 'x'],
    ['tags', ['old'], []],
    ['cohorts', [], ['wide']],
    ['aliases', [], ['checkout']],
    ['environments.production.enabled', false, true],
    ['environments.staging.trafficPercentage', 0, 50],
    ['environments.staging.cohorts', [], ['own']],
  ]);
  const one = await edit(2, { name: 'pay', states: { 1: { enabled: true }, 2: { enabled: true } } });
  t.ok(one.flag.updatedAt > whole.flag.updatedAt);
  t.match(await audited(), [
    { environment: 'staging', changes: [{ field: 'environments.staging.enabled' }] },
  ]);
  const none = await edit(3, { name: ' pay', states: { 2: { enabled: true, cohorts: ['own'] } } });
  t.match(none, { changed: false, flag: { revision: 3 } });
  const stale = { revision: 1, states: { 1: { trafficPercentage: 1000 } } };
  t.match(await owner(409, `PATCH ${path}/flags/${id}`, stale), { current: none.flag });
  t.strictSame(await audited(), []);
});

t.test('lists are inherited, overridden and reset as in the API', async (t) => {
  const { path, flag } = await project(['production']);
  const { id } = await flag({ name: 'lists', cohorts: ['wide'] });
  let revision = 1;
  const edit = async (draft: object) => {
    const answer = await owner(200, `PATCH ${path}/flags/${id}`, { revision, ...draft });
    revision = answer.flag.revision;
    return [answer.changed, answer.flag.states['1'].cohortOverride];
  };
  const own = (cohorts: readonly string[] | null) => edit({ states: { 1: { cohorts } } });
  t.strictSame(await own(['wide']), [false, null], 'equal to the inherited list, so none is stored');
  t.strictSame(await own(['own']), [true, ['own']]);
  t.strictSame(await own(['wide']), [true, ['wide']], 'an override is stored: its content changes');
  t.strictSame(await own(['wide']), [false, ['wide']]);
  t.strictSame(await own([]), [true, null], 'removing one that equals the inherited list is a change');
  t.strictSame(await own(null), [false, null]);
  const both = (cohorts: readonly string[], list: readonly string[]) =>
    edit({ cohorts, states: { 1: { cohorts: list } } });
  t.strictSame(await both(['next'], ['next']), [true, null], 'the list that will be inherited counts');
  t.strictSame(await both(['last'], ['next']), [true, ['next']], 'the former list is kept as its own');
});

t.test('the only list of a single-environment flag is in cohorts', async (t) => {
  const { path, flag } = await project(null);
  const made = await flag({ name: 'one', cohorts: ['a'], states: { 0: { enabled: true, cohorts: null } } });
  t.match(made, { cohorts: ['a'], states: { 0: { enabled: true, cohortOverride: null } } });
  await audited();
  const address = `PATCH ${path}/flags/${made.id}`;
  await owner(200, address, {
    revision: 1,
    ...{ cohorts: ['a', 'b'], states: { 0: { cohorts: [], trafficPercentage: 7 } } },
  });
  const [entry] = await audited();
  t.equal(entry.environment, null);
  t.strictSame(fieldsOf(entry), [
    ['cohorts', ['a'], ['a', 'b']],
    ['trafficPercentage', 0, 7],
  ]);
  t.match(await owner(200, address, { revision: 2, cohorts: [] }), { flag: { cohorts: [] } });
  for (const states of [{ 0: { cohorts: ['x'] } }, { 1: { enabled: true } }])
    t.match(await owner(400, address, { revision: 3, states }), { detail: /^states\.\d.* is not accepted/ });
  const page = await owner(200, `GET ${path}/flags`);
  t.match(page, { flags: [{ cohortCount: 0, states: [0] }], kinds: [{ trafficPercentage: 7 }] });
});

t.test('all problems of a draft are reported at once, in the words of the API', async (t) => {
  const { path, flag } = await project(['production', 'staging']);
  const foreign = await (await project(null)).audience();
  const { id } = await flag({ name: 'checkout' });
  await audited();
  const refused = async (draft: object) =>
    (await owner(400, `PATCH ${path}/flags/${id}`, { revision: 1, ...draft })).detail;
  t.equal(
    await refused({
      ...{ name: ' ', description: 'x'.repeat(2001), tags: ['', 'ok'], cohorts: ['', '\ud800'] },
      states: {
        1: { trafficPercentage: 101, audienceId: foreign.id },
        2: { cohorts: ['y'.repeat(257)], trafficPercentage: -1 },
        9: { enabled: true },
      },
    }),
    [
      'name must be 1 to 200 characters after trimming',
      'description must be at most 2000 characters',
      'tags[0] must be a string of 1 to 64 characters',
      'cohorts[0] must be a string of 1 to 256 characters',
      'cohorts[1] must be valid Unicode: it has a lone surrogate',
      'environments.production.trafficPercentage must be a whole number between 0 and 100',
      `environments.production.audienceId: Audience "${foreign.id}" does not exist on this project.`,
      'environments.staging.cohorts[0] must be a string of 1 to 256 characters',
      'environments.staging.trafficPercentage must be a whole number between 0 and 100',
      'states.9 is not the number of an environment of this project (valid ones: production, staging)',
    ].join('; '),
  );
  for (const key of ['01', 'production', '', '__proto__', '1.0'])
    await owner(400, `PATCH ${path}/flags/${id}`, `{"revision":1,"states":{${JSON.stringify(key)}:{}}}`);
  t.match(await refused({ tags: Array.from({ length: 51 }, () => 'a') }), /tags must have at most 50/);
  await owner(400, `POST ${path}/flags`, { name: '' });
  t.match(await owner(200, `GET ${path}/flags/${id}`), { revision: 1 });
  t.strictSame(await audited(), []);
});

t.test('a flag is deleted by its name as it is stored', async (t) => {
  const { path, flag } = await project(['production']);
  const { id } = await flag({ name: 'checkout', cohorts: ['wide'], states: { 1: { enabled: true } } });
  await audited();
  const remove = `DELETE ${path}/flags/${id}`;
  for (const name of ['', 'Checkout', 'checkout '])
    t.match(await owner(400, remove, { revision: 1, name }), { detail: /name must be "checkout"/ });
  t.match(await owner(409, remove, { revision: 2, name: 'checkout' }), { current: { id } });
  await owner(204, remove, { revision: 1, name: 'checkout' });
  const [entry] = await audited();
  t.match(entry, { action: 'flag.delete', targetId: id, targetName: 'checkout' });
  t.strictSame(fieldsOf(entry), [
    ['name', 'checkout', null],
    ['description', '', null],
    ['tags', [], null],
    ['environments.production.enabled', true, null],
    ['environments.production.trafficPercentage', 0, null],
    ['environments.production.cohorts', [], null],
    ['environments.production.audienceId', null, null],
    ['cohorts', ['wide'], null],
  ]);
  await owner(404, remove, { revision: 1, name: 'checkout' });
  await owner(404, `GET ${path}/flags/${id}`);
  t.match(await owner(200, `GET ${path}/flags`), { flags: { length: 0 } });
});

t.test('an audience is created with its rules unchanged, and edited by revision', async (t) => {
  const { path, audience } = await project(null);
  const exact = [{ attribute: ' plan ', values: ['', ' Pro', 'Pro', 'é', '__proto__'] }];
  await audited();
  const made = await owner(201, `POST ${path}/audiences`, { name: ' Pro ', rules: exact });
  t.match(made, { name: 'Pro', rules: exact, uses: [], useCount: 0, revision: 1 });
  const [creation] = await audited();
  t.match(creation, { action: 'audience.create', targetName: 'Pro' });
  t.strictSame(fieldsOf(creation), [
    ['name', null, 'Pro'],
    ['rules', null, exact],
  ]);
  t.match(await owner(400, `POST ${path}/audiences`, { name: 'Pro', rules }), {
    detail: 'name "Pro" is taken by another audience of this project',
  });
  await audience('taken');
  await audited();
  const address = `PATCH ${path}/audiences/${made.id}`;
  const edited = await owner(200, address, { revision: 1, name: 'Paying', rules });
  t.match(edited, { name: 'Paying', rules, revision: 2 });
  t.ok(edited.updatedAt > made.updatedAt);
  const [edit] = await audited();
  t.equal(edit.action, 'audience.edit');
  t.strictSame(fieldsOf(edit), [
    ['name', 'Pro', 'Paying'],
    ['rules', exact, rules],
  ]);
  await owner(200, address, { revision: 2, name: ' Paying', rules });
  t.match(await owner(409, address, { revision: 1, name: 'late' }), { current: edited });
  await owner(400, address, { revision: 2, name: 'taken' });
  await owner(400, address, { revision: 2, rules: [] });
  const refused = async (body: object) => (await owner(400, `POST ${path}/audiences`, body)).detail;
  t.equal(
    await refused({
      name: '',
      rules: [
        { attribute: 'cohort', values: [] },
        { attribute: '', values: ['x'.repeat(1025), '\ud800'] },
      ],
    }),
    [
      'name must be 1 to 200 characters after trimming',
      'rules[0].attribute must not be cohort: it is never an attribute, so the rule never matches',
      'rules[0].values must be an array of 1 to 100000 strings',
      'rules[1].attribute must be a string of 1 to 256 characters',
      'rules[1].values[0] must be a string of at most 1024 characters',
      'rules[1].values[1] must be a string of at most 1024 characters',
    ].join('; '),
  );
  for (const attribute of ['targetingKey', 'env'])
    await refused({ name: 'a', rules: [{ attribute, values: ['x'] }] });
  const some = (count: number) => Array.from({ length: count }, () => ({ attribute: 'a', values: ['x'] }));
  for (const count of [0, 51]) t.match(await refused({ name: 'a', rules: some(count) }), /1 to 50 rules/);
  await owner(201, `POST ${path}/audiences`, { name: '\u{1f600}'.repeat(200), rules: some(50) });
  await audited();
});

t.test("an audience's uses are shown, and prevent its deletion", async (t) => {
  const { path, audience, flag } = await project(['production', 'staging']);
  const { id } = await audience();
  const applied = { enabled: true, audienceId: id };
  const both = await flag({ name: 'b', states: { 1: applied, 2: applied } });
  const one = await flag({ name: 'a', states: { 2: applied } });
  await flag({ name: 'c', cohorts: [id] });
  const uses = [
    { flagId: one.id, flagName: 'a', environmentNumbers: [2] },
    { flagId: both.id, flagName: 'b', environmentNumbers: [1, 2] },
  ];
  const kept = await audience('Kept');
  await flag({ name: 'd', states: { 1: { audienceId: kept.id } } });
  const address = `${path}/audiences/${id}`;
  t.match(await owner(200, `GET ${address}`), { uses, useCount: 2 });
  const { audiences } = await owner(200, `GET ${path}/audiences`);
  t.strictSame(audiences.find((one: { id: string }) => one.id === id).uses, uses);
  const refused = await owner(409, `DELETE ${address}`, { revision: 1 });
  t.match(refused, { uses, useCount: 2, detail: /"Pro" is attached to 2 flags\. Detach it there first/ });
  const detach = (flagId: string, numbers: readonly number[]) => {
    const states = Object.fromEntries(numbers.map((number) => [number, { audienceId: null }]));
    return owner(200, `PATCH ${path}/flags/${flagId}`, { revision: 1, states });
  };
  await detach(one.id, [2]);
  t.match(await owner(409, `DELETE ${address}`, { revision: 1 }), { detail: /one flag/ });
  await detach(both.id, [1, 2]);
  await owner(409, `DELETE ${address}`, { revision: 2 });
  await audited();
  await owner(204, `DELETE ${address}`, { revision: 1 });
  t.match(await audited(), [{ action: 'audience.delete', targetName: 'Pro' }]);
  await owner(404, `DELETE ${address}`, { revision: 1 });
  const { audienceNames } = await owner(200, `GET ${path}/audit`);
  t.strictSame(
    audienceNames,
    { [kept.id]: 'Kept' },
    'the log has the present names of those that it mentions',
  );
  const many = await owner(200, `GET /projects/${counted.id}/audiences/${used.id}`);
  t.strictSame([many.uses.length, many.useCount], [200, 201], 'all are counted, the first listed');
});

t.test('without a plan audiences are read-only, and an attached one stays', async (_t) => {
  const asked = stage.as(freeId);
  const path = `/projects/${poor?.id}`;
  await asked(402, `POST ${path}/audiences`, { name: 'new', rules });
  await asked(402, `PATCH ${path}/audiences/${pro.id}`, { revision: 1, name: 'x' });
  await asked(402, `DELETE ${path}/audiences/${other.id}`, { revision: 1 });
  await asked(200, `GET ${path}/audiences/${pro.id}`);
  await asked(402, `POST ${path}/flags`, { name: 'new', states: { 1: { audienceId: pro.id } } });
  await asked(201, `POST ${path}/flags`, { name: 'new', states: { 1: { audienceId: null } } });
  const edit = async (status: number, revision: number, states: object) =>
    asked(status, `PATCH ${path}/flags/${attached.id}`, { revision, states });
  await edit(200, 1, { 1: { trafficPercentage: 5, audienceId: pro.id } });
  await edit(402, 2, { 1: { audienceId: other.id } });
  await edit(402, 2, { 2: { audienceId: pro.id } });
  await edit(200, 2, { 1: { audienceId: null } });
  await edit(402, 3, { 1: { audienceId: pro.id } });
  const within = stage.as(trialId);
  await within(201, `POST /projects/${trying?.id}/audiences`, { name: 'new', rules });
  const diary = { name: 'diary', isMultiEnvironment: false, isPersonal: true };
  const personal = await owner(201, 'POST /projects', diary);
  await owner(402, `POST /projects/${personal.id}/audiences`, { name: 'new', rules });
});

t.test('pages of flags follow one another, whatever happens at their border', async (t) => {
  const { path, flag } = await project(['production', 'staging']);
  const ids = new Map<string, string>();
  for (const name of ['b', 'ä', 'a', 'c', 'z'])
    ids.set(name, (await flag({ name, description: `${'🙂'.repeat(200)}x` })).id);
  const page = (query: string) => owner(200, `GET ${path}/flags?${query}`);
  const names = ({ flags }: { flags: readonly { name: string }[] }) => flags.map(({ name }) => name).join('');
  const first = await page('limit=2');
  t.match(first, { environments: [1, 2], kinds: [{ enabled: false, cohortOverrideCount: null }] });
  t.match(first.flags[0], { description: `${'🙂'.repeat(200)}…`, states: [0, 0], cohortCount: 0 });
  const second = await page(`limit=2&after=${first.next}`);
  const third = await page(`limit=2&after=${second.next}`);
  t.strictSame([first, second, third].map(names), ['ab', 'cz', 'ä']);
  t.equal(third.next, null);
  await owner(200, `PATCH ${path}/flags/${ids.get('b')}`, { revision: 1, name: 'zz' });
  t.equal(names(await page(`after=${first.next}`)), 'czzzä');
  await owner(204, `DELETE ${path}/flags/${ids.get('b')}`, { revision: 2, name: 'zz' });
  t.equal(names(await page(`after=${first.next}`)), 'czä');
  const some = [ids.get('c'), '0'.repeat(20), attached.id, ids.get('a')].join(',');
  t.equal(names(await page(`ids=${some}`)), 'ca', 'those that exist here, in the order asked for');

  const cursor = (text: string) => Buffer.from(text, 'latin1').toString('base64url');
  const { id } = countedFlag;
  for (const after of ['', 'a', `${cursor(`${id}a`)}=`, cursor(id), cursor(`${id}a\0b`), cursor(`${id} a`)])
    t.match(await owner(400, `GET ${path}/flags?after=${after}`), { detail: /must be the next of a page/ });
  for (const limit of ['0', '1001', '01', '1.5', '-1', '', 'all', '1e2'])
    t.match(await owner(400, `GET ${path}/flags?limit=${limit}`), { detail: /whole number from 1 to 1000/ });
  const tooMany = Array.from({ length: 101 }, () => id).join(',');
  for (const query of [`ids=${id}&limit=1`, 'ids=', `ids=${tooMany}`])
    t.match(await owner(400, `GET ${path}/flags?${query}`), { detail: /^ids / });

  const whole = await owner(200, `GET /projects/${varied.id}/flags`);
  t.strictSame(
    [whole.flags.length, whole.kinds.length],
    [82, 8200],
    'a page ends before its states are too many',
  );
  const rest = await owner(200, `GET /projects/${varied.id}/flags?after=${whole.next}`);
  t.match(rest, { flags: [{ name: 'flag-082' }], next: null });
});

t.test('a renamed flag answers to its former names, until they are removed or taken', async (t) => {
  const { path, flag } = await project(['production']);
  const { id } = await flag({ name: 'a' });
  let revision = 1;
  const edit = async (status: number, draft: object) => {
    const answer = await owner(status, `PATCH ${path}/flags/${id}`, { revision, ...draft });
    if (status === 200) revision = answer.flag.revision;
    return answer;
  };
  const named = async (name: string) => (await owner(200, `GET ${path}/names?name=${name}`)).flag;
  t.match(await edit(200, { name: 'b' }), { flag: { name: 'b', answersToName: true, aliases: ['a'] } });
  t.match(await edit(200, { name: 'a' }), { flag: { name: 'a', aliases: ['b'] } }, 'back again');
  t.strictSame(await named('b'), { id, name: 'a', answers: true, lastEvaluatedHour: null });
  t.match(await edit(200, { aliases: [] }), { flag: { aliases: [] } });
  t.equal(await named('b'), null);
  for (let count = 1; count <= 10; count += 1) await edit(200, { name: `n${count}` });
  t.match(await edit(400, { name: 'n11' }), { detail: /answers to 10 former names already; remove one/ });
  t.match(await edit(400, { aliases: ['x'] }), {
    detail: 'aliases may only lose names, and "x" is not one of them',
  });
  t.match(await edit(200, { name: 'n11', aliases: ['n9', 'a'] }), { flag: { aliases: ['n10', 'n9', 'a'] } });

  // Another flag may take a former name, if the member says so.
  const refused = await owner(400, `POST ${path}/flags`, { name: 'a' });
  t.match(refused, {
    detail: `name "a" is a former name of flag ${id} ("n11"), and requests for it get that flag: choose another one, or take the name`,
  });
  await audited();
  const taker = await flag({ name: ' a', takesName: true });
  t.match(taker, { answersToName: true });
  t.match(await owner(200, `GET ${path}/flags/${id}`), { aliases: ['n10', 'n9'], revision: revision + 1 });
  const [lost, created] = await audited();
  t.match(
    [created, lost],
    [{ action: 'flag.create' }, { action: 'flag.edit', targetId: id, targetName: 'n11' }],
  );
  t.strictSame(fieldsOf(lost), [['aliases', ['n10', 'n9', 'a'], ['n10', 'n9']]]);
  const renamed = await owner(200, `PATCH ${path}/flags/${taker.id}`, {
    revision: 1,
    name: 'n9',
    takesName: true,
  });
  t.match(renamed, { flag: { name: 'n9', answersToName: true, aliases: ['a'] } });
  t.match(
    await owner(400, `PATCH ${path}/flags/${taker.id}`, { revision: 2, name: 'n11', takesName: true }),
    {
      detail: `name "n11" is taken by flag ${id}: choose another one, or rename that flag`,
    },
  );
});

t.test('a name is found with the last hour in which its flag was evaluated', async (t) => {
  const name = encodeURIComponent(countedFlag.name);
  const { flag } = await owner(200, `GET /projects/${counted.id}/names?name=${name}`);
  t.match(flag, { id: countedFlag.id, lastEvaluatedHour: now - 2 * hourMs });
});

t.test('a name without an owner is given away by a member alone', async (t) => {
  const path = `/projects/${counted.id}`;
  const { first, later } = sameName;
  const found = async () => (await owner(200, `GET ${path}/names?name=same`)).flag;
  t.match(await owner(200, `GET ${path}/flags/${later.id}`), { name: 'same', answersToName: false });
  t.match(await found(), { id: first.id, answers: true });
  const take = (status: number) =>
    owner(status, `PATCH ${path}/flags/${later.id}`, { revision: 1, takesName: true });
  t.match(await take(400), { detail: new RegExp(`"same" is taken by flag ${first.id}`) });
  await owner(204, `DELETE ${path}/flags/${first.id}`, { revision: 1, name: 'same' });
  t.match(await found(), { id: later.id, name: 'same', answers: false }, 'it is not inherited');
  t.match(await owner(400, `POST ${path}/flags`, { name: 'same', takesName: true }), {
    detail: /is taken by flag/,
  });
  t.match(await take(200), { changed: true, flag: { answersToName: true, revision: 2 } });
  // A flag may go back to its former name, although another one has that name by now.
  const other = `${path}/flags/${renamed.id}`;
  const back = await owner(200, `PATCH ${other}`, { revision: 1, name: 'taken meanwhile' });
  t.match(back, { flag: { name: 'taken meanwhile', answersToName: true, aliases: ['now'] } });
  t.match(await found(), { id: later.id, answers: true });
});

t.test('a trial says which rule decided, and why the others did not', async (t) => {
  const { path, flag } = await project(['production', 'staging']);
  const both = [...rules, { attribute: 'country', values: ['ch'] }];
  const audience = await owner(201, `POST ${path}/audiences`, { name: 'Swiss pros', rules: both });
  const state = { enabled: true, trafficPercentage: 50, cohorts: ['beta'], audienceId: audience.id };
  const { id } = await flag({ name: 'tried', cohorts: ['wide'], states: { 2: state } });
  const trial = `POST ${path}/flags/${id}/trial`;
  const told = async (body: object) => {
    const answer = await owner(200, trial, { environmentNumber: 2, ...body });
    const words = (key: string) => answer.steps.map((step: Record<string, string>) => step[key]);
    return { ...answer, steps: words('outcome').join(' '), said: words('explanation') };
  };
  t.match(await told({ environmentNumber: 1 }), {
    ...{ enabled: false, reason: 'flag-off', steps: 'decides not-reached not-reached not-reached' },
    said: ['The flag is off in production, so the answer is off for everybody.'],
  });
  t.match(await told({ cohort: 'beta' }), {
    ...{ enabled: true, reason: 'cohort-match', steps: /^passes decides/ },
    said: ['The flag is on in staging.', /“beta” is on the environment’s own list, so the answer is on/],
  });
  const missed = await told({ cohort: 'wide', attributes: [{ name: 'plan', value: 'free' }] });
  t.match(missed, { reason: 'audience-mismatch', steps: 'passes passes decides not-reached' });
  t.equal(
    missed.said[2],
    'Audience “Swiss pros” does not match, so the answer is off: “plan” is “free”, and the rule asks for one of “pro”, “team”; “country” is missing, and the rule asks for “ch”.',
  );
  const attributes = ['free', 'team'].map((value) => ({ name: 'plan', value }));
  attributes.push({ name: 'country', value: 'ch' });
  const keyed = await told({ targetingKey: 'user-1', attributes });
  t.equal(keyed.said[2], 'Audience “Swiss pros” matches: “plan” is “team”; “country” is “ch”.');
  t.equal(keyed.enabled, keyed.bucketPercent < 50);
  t.match(keyed.said[3], new RegExp(`“user-1” falls at ${keyed.bucketPercent}%`));
  t.match(await told({ attributes }), { bucketPercent: null, reason: /^roll-/ });
  t.equal(
    (
      await owner(400, trial, {
        ...{ environmentNumber: 0, targetingKey: '\ud800', attributes: [{ name: 'env', value: '' }] },
      })
    ).detail,
    [
      'environmentNumber is not an environment of this project (valid ones: production, staging)',
      'targetingKey must be valid Unicode: it has a lone surrogate',
      'attributes[0].name must not be env: it is never an attribute',
    ].join('; '),
  );
  const many = Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' }));
  t.match(await owner(400, trial, { environmentNumber: 1, attributes: many }), { detail: /at most 100/ });
});

t.test('evaluations of the last 24 hours are counted, environment by environment', async (t) => {
  const { hours, series } = await owner(
    200,
    `GET /projects/${counted.id}/flags/${countedFlag.id}/evaluations`,
  );
  t.equal(hours.length, 24);
  const sums = series.map(({ environmentNumber, on, off }: Record<string, number[]>) => {
    const sum = (counts: readonly number[] = []) => counts.reduce((total, count) => total + count, 0);
    return [environmentNumber, sum(on), sum(off)];
  });
  t.strictSame(sums, [
    [1, 3, 1],
    [2, 3, 1],
  ]);
});

t.test('the store is sound', () => stage.stop());
