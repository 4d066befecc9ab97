import type { Topic } from '../conformance-case.ts';
import {
  absent,
  anyId,
  anyone,
  as,
  catalogueReader,
  ci,
  flat,
  grouped,
  make,
  platformCi,
  platformReader,
  present,
  reader,
  regionsReader,
  state,
} from '../steps.ts';

export const representations: Topic = {
  'service.md: Flag representation': {
    '`updatedAt` (integer, Unix milliseconds)': {
      'flat-form': [make('flag'), reader.read('${flag}').exactly(200, flat())],
    },
    '| cohorts | array of string | always an array; `[]` when none |': {
      'flat-form-with-every-field': [
        make('flag', {
          enabled: true,
          trafficPercentage: 37,
          cohorts: ['b', 'a', 'b'],
          audienceId: '${audience:shop/Pro}',
        }),
        reader.read('${flag}').exactly(
          200,
          flat({
            enabled: true,
            trafficPercentage: 37,
            cohorts: ['b', 'a', 'b'],
            audienceId: '${audience:shop/Pro}',
          }),
        ),
      ],
    },
    'Always present: `id` (string), `name` (string), `kind` (`flag` for a single-environment project, `groupflag` for a multi-environment one)':
      {
        'flat-form-of-a-provisioned-flag': reader.read('${flag:shop/listed}').exactly(
          200,
          flat({
            id: '${flag:shop/listed}',
            name: 'listed',
            enabled: true,
            cohorts: ['beta-testers', 'user 1', 'a+b', 'Zoë', 'a&b=c#d?/%'],
          }),
        ),
      },
    '| environments | object | always present; map of environment name to entry; `{}` when the project has no environments yet |':
      {
        'kind-of-a-project-with-one-environment-list-empty': as('fresh/ci')
          .read('${flag:fresh/seed}')
          .exactly(200, grouped('${flag:fresh/seed}', 'seed', {})),
      },
    '**Environments form** (a group flag fetched without `?env=`): no flat state': {
      'environments-form': regionsReader.read('${flag:regions/alpha}').exactly(
        200,
        grouped('${flag:regions/alpha}', 'alpha', {
          eu: state({ enabled: true, cohorts: ['testers'] }),
          us: state({ enabled: true, trafficPercentage: 100 }),
        }),
      ),
    },
    "the effective list: the environment's own override if it has one, otherwise the flag-wide list": {
      'environments-form-effective-cohorts': platformReader.read('${flag:platform/checkout}').exactly(
        200,
        grouped('${flag:platform/checkout}', 'checkout', {
          production: state({ enabled: true, trafficPercentage: 100, cohorts: ['flag-wide', 'also-wide'] }),
          staging: state({ enabled: true, cohorts: ['own'], audienceId: '${audience:platform/Pro}' }),
          constructor: state({
            enabled: true,
            trafficPercentage: 100,
            cohorts: ['flag-wide', 'also-wide'],
          }),
          ['__proto__']: state({ enabled: true, cohorts: ['flag-wide', 'also-wide'] }),
        }),
      ),
    },
    "currently equal to the flag's own updatedAt; must not be relied on to tell when one environment changed":
      {
        'environments-form-updated-at': [
          make('flag', {}, platformCi),
          platformCi
            .change('${flag}?env=staging', { enabled: true })
            .is(200)
            .keep({ at: 'body.flag.updatedAt' }),
          platformReader
            .read('${flag}')
            .is(200, { updatedAt: '${at}', environments: { $every: { updatedAt: '${at}' } } }),
        ],
      },
    'only on a group flag fetched with `?env=`: the environment requested': {
      'flat-form-of-a-group-flag': [
        platformReader.read('${flag:platform/checkout}?env=staging').exactly(
          200,
          flat({
            id: '${flag:platform/checkout}',
            name: 'checkout',
            enabled: true,
            cohorts: ['own'],
            audienceId: '${audience:platform/Pro}',
            environment: 'staging',
          }),
        ),
        platformReader.read('${flag:platform/checkout}?env=__proto__').exactly(
          200,
          flat({
            id: '${flag:platform/checkout}',
            name: 'checkout',
            enabled: true,
            cohorts: ['flag-wide', 'also-wide'],
            environment: '__proto__',
          }),
        ),
        platformReader
          .read('${flag:platform/checkout}?env=constructor')
          .is(200, { environment: 'constructor', trafficPercentage: 100 }),
      ],
    },
    'Flag-wide cohort list of a group flag: it cannot be set or read as such through the API.': {
      'wide-list-not-shown-as-such': as('fresh/ci')
        .read('${flag:fresh/seed}')
        .exactly(200, grouped('${flag:fresh/seed}', 'seed', {})),
    },
    'The state then takes one of two forms.': {
      'description-and-tags-not-shown': reader
        .read('${flag:shop/listed}')
        .is(200, { description: absent, tags: absent }),
    },
  },
  'service.md: What the service does': {
    'a single-environment project holds flags of kind `flag`': {
      'kind-flag': [
        reader.read('${flag:shop/on}').is(200, { kind: 'flag', environment: absent, environments: absent }),
        catalogueReader.list().is(200, { flags: { $every: { kind: 'flag' } } }),
      ],
    },
    'A multi-environment project holds flags of kind `groupflag`, with state per environment.': {
      'kind-groupflag': [
        regionsReader.read('${flag:regions/beta}').is(200, { kind: 'groupflag' }),
        regionsReader.list().is(200, { flags: { $every: { kind: 'groupflag' } } }),
      ],
    },
    'It is JSON in, JSON out, and uses bearer tokens.': {
      'json-content-type': [
        ci
          .list()
          .is(200)
          .with({ 'content-type': /^application\/json/u }),
        anyone
          .list()
          .is(401)
          .with({ 'content-type': /^application\/json/u }),
      ],
    },
  },
  'service.md: POST /api/v1/flags': {
    'An environment left out starts disabled at 0% with no cohorts': {
      'environments-form-untouched': regionsReader
        .read('${flag:regions/gamma}')
        .exactly(200, grouped('${flag:regions/gamma}', 'gamma', { eu: state(), us: state() })),
      'flat-form-of-an-untouched-environment': platformReader
        .read('${flag:platform/plain}?env=staging')
        .exactly(200, flat({ id: '${flag:platform/plain}', name: 'plain', environment: 'staging' })),
    },
  },
  'service.md: Versioning': {
    '`audienceId` is present on every flat flag representation and on each environments entry, null when there is no audience.':
      {
        'audience-id-always-present': [
          reader.list().is(200, { flags: { $every: { audienceId: present } } }),
          platformReader
            .list()
            .is(200, { flags: { $every: { environments: { $every: { audienceId: present } } } } }),
          platformReader.list('?env=staging').is(200, { flags: { $every: { audienceId: present } } }),
          regionsReader.read('${flag:regions/gamma}?env=eu').is(200, { audienceId: null }),
        ],
      },
  },
  'decisions.md: Names and ids': {
    'Every id (organisation, project, flag, audience, token, member, audit entry) is 20 characters of `0-9A-Za-z`, random, about 119 bits.':
      {
        'id-form': [
          ci.create({ name: '${case}' }).is(201, { id: anyId }).keep({ first: 'body.id' }),
          ci.create({ name: '${case}' }).is(201, { id: { $all: [anyId, { $not: '${first}' }] } }),
          ci.token().is(200, { id: anyId, project: { id: anyId } }),
        ],
      },
  },
};
