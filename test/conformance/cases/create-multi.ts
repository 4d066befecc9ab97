import type { Topic } from '../conformance-case.ts';
import { anyId, as, each, grouped, make, platformCi, platformReader, state, text } from '../steps.ts';

export const createMulti: Topic = {
  'decisions.md: Management API: the rest': {
    'Omitted state on any create, per environment or not: `enabled: false`, `trafficPercentage: 0`, `cohorts: []`, `audienceId: null`.':
      {
        'create-multi-name-only': platformCi.create({ name: '${case}' }).exactly(
          201,
          grouped(anyId, '${case}', {
            production: state(),
            staging: state(),
            constructor: state(),
            ['__proto__']: state(),
          }),
        ),
      },
    '`environments` may be absent on a group create; that is `{}`.': {
      'create-multi-environments-empty': platformCi.create({ name: '${case}', environments: {} }).exactly(
        201,
        grouped(anyId, '${case}', {
          production: state(),
          staging: state(),
          constructor: state(),
          ['__proto__']: state(),
        }),
      ),
    },
    "An unknown audience on create: the patch's sentence, preceded by `environments.<env>.audienceId: ` when nested, joined with the other problems.":
      {
        'create-multi-audience-unknown': platformCi
          .create({ name: 'x', environments: { staging: { audienceId: 'nobody' } } })
          .invalid({
            $exactly: 'environments.staging.audienceId: Audience "nobody" does not exist on this project.',
          }),
        'create-multi-audience-joined': platformCi
          .create({
            name: 'x',
            environments: {
              staging: { audienceId: 'nobody', trafficPercentage: 101 },
              production: { audienceId: '${audience:shop/Pro}' },
            },
          })
          .invalid(
            {
              $includes: 'environments.staging.audienceId: Audience "nobody" does not exist on this project.',
            },
            { $includes: 'environments.staging.trafficPercentage must be a whole number between 0 and 100' },
            {
              $includes:
                'environments.production.audienceId: Audience "${audience:shop/Pro}" does not exist on this project.',
            },
          ),
      },
    'Unknown keys in a create body are rejected by name, as in a patch.': {
      'create-multi-unknown-keys': [
        platformCi
          .create({ name: 'x', environments: { staging: { foo: 1 } } })
          .invalid('environments.staging', 'foo'),
        platformCi.create({ name: 'x', foo: 1 }).invalid({ $includes: 'unknown field "foo"' }),
        platformCi
          .create(text('{"name":"x","environments":{"staging":{"__proto__":{"enabled":true}}}}'))
          .invalid('__proto__'),
      ],
    },
  },
  'service.md: POST /api/v1/flags': {
    '`{}` is a valid value meaning those defaults': {
      'create-multi-entry-empty': platformCi
        .create({ name: '${case}', environments: { staging: {} } })
        .exactly(
          201,
          grouped(anyId, '${case}', {
            production: state(),
            staging: state(),
            constructor: state(),
            ['__proto__']: state(),
          }),
        ),
    },
    'An environment left out starts disabled at 0% with no cohorts': {
      'create-multi-one-environment': platformCi
        .create({
          name: '${case}',
          environments: {
            staging: {
              enabled: true,
              trafficPercentage: 50,
              cohorts: ['a'],
              audienceId: '${audience:platform/Pro}',
            },
          },
        })
        .exactly(
          201,
          grouped(anyId, '${case}', {
            production: state(),
            staging: state({
              enabled: true,
              trafficPercentage: 50,
              cohorts: ['a'],
              audienceId: '${audience:platform/Pro}',
            }),
            constructor: state(),
            ['__proto__']: state(),
          }),
        ),
    },
    'Returns 201 with the new flag in the standard representation.': {
      'create-multi-every-environment': [
        platformCi
          .create({
            name: '${case}',
            description: 'd',
            tags: ['t'],
            environments: {
              production: { enabled: true },
              staging: { trafficPercentage: 1 },
              constructor: { cohorts: ['c'] },
              ['__proto__']: { enabled: true, trafficPercentage: 99 },
            },
          })
          .exactly(
            201,
            grouped(anyId, '${case}', {
              production: state({ enabled: true }),
              staging: state({ trafficPercentage: 1 }),
              constructor: state({ cohorts: ['c'] }),
              ['__proto__']: state({ enabled: true, trafficPercentage: 99 }),
            }),
          )
          .keep({ flag: 'body.id' }),
        platformReader.read('${flag}').exactly(
          200,
          grouped('${flag}', '${case}', {
            production: state({ enabled: true }),
            staging: state({ trafficPercentage: 1 }),
            constructor: state({ cohorts: ['c'] }),
            ['__proto__']: state({ enabled: true, trafficPercentage: 99 }),
          }),
        ),
      ],
    },
    'Flat state sent to a multi-environment project, or `environments` sent to a single-environment project: 400 naming the fix.':
      {
        'create-multi-flat-enabled': platformCi
          .create({ name: 'x', enabled: true })
          .invalid('enabled', 'environments'),
        'create-multi-flat-trafficpercentage': platformCi
          .create({ name: 'x', trafficPercentage: 50 })
          .invalid('trafficPercentage', 'environments'),
        'create-multi-flat-cohorts': platformCi
          .create({ name: 'x', cohorts: ['a'] })
          .invalid('cohorts', 'environments'),
        'create-multi-flat-audienceid': platformCi
          .create({ name: 'x', audienceId: null })
          .invalid('audienceId', 'environments'),
      },
    '`environments`: object keyed by environment name': {
      'create-multi-environments-types': [
        platformCi.create({ name: 'x', environments: null }).invalid('environments'),
        platformCi.create({ name: 'x', environments: [] }).invalid('environments'),
        platformCi.create({ name: 'x', environments: 'production' }).invalid('environments'),
        platformCi.create({ name: 'x', environments: 5 }).invalid('environments'),
        platformCi.create({ name: 'x', environments: true }).invalid('environments'),
        platformCi.create({ name: 'x', environments: ['production'] }).invalid('environments'),
      ],
    },
    'whose values are objects with optional `enabled`, `trafficPercentage`, `cohorts`, `audienceId`': {
      'create-multi-entry-types': [
        ...each(
          [
            { name: 'x', environments: { staging: null } },
            { name: 'x', environments: { staging: [] } },
            { name: 'x', environments: { staging: true } },
            { name: 'x', environments: { staging: 'on' } },
            { name: 'x', environments: { staging: 100 } },
          ],
          (body) => platformCi.create(body).invalid('environments.staging'),
        ),
      ],
    },
    'for example `environments.<env>.trafficPercentage must be a whole number between 0 and 100`.': {
      'create-multi-percentage': [
        ...each(
          [
            { name: 'x', environments: { staging: { trafficPercentage: 101 } } },
            { name: 'x', environments: { staging: { trafficPercentage: -1 } } },
            { name: 'x', environments: { staging: { trafficPercentage: 0.5 } } },
            { name: 'x', environments: { staging: { trafficPercentage: '50' } } },
          ],
          (body) =>
            platformCi.create(body).invalid({
              $exactly: 'environments.staging.trafficPercentage must be a whole number between 0 and 100',
            }),
        ),
      ],
      'create-multi-percentage-in-proto': platformCi
        .create({ name: 'x', environments: { ['__proto__']: { trafficPercentage: 101 } } })
        .invalid({
          $exactly: 'environments.__proto__.trafficPercentage must be a whole number between 0 and 100',
        }),
    },
    'All body problems are reported together, each naming its path': {
      'create-multi-entry-problems': platformCi
        .create({
          name: 'x',
          environments: {
            staging: { enabled: 1, cohorts: 'a' },
            production: { trafficPercentage: 101, audienceId: 7 },
          },
        })
        .invalid(
          'environments.staging.enabled',
          'environments.staging.cohorts',
          'environments.production.trafficPercentage must be a whole number between 0 and 100',
          'environments.production.audienceId',
        ),
    },
  },
  'service.md: Flag representation': {
    '`{}` when the project has no environments yet': {
      'create-multi-in-a-project-without-environments': [
        as('fresh/ci')
          .create({ name: '${case}' })
          .exactly(201, grouped(anyId, '${case}', {})),
        as('fresh/ci')
          .create({ name: '${case}', environments: {} })
          .exactly(201, grouped(anyId, '${case}', {})),
        as('fresh/ci')
          .create({ name: 'x', environments: { production: {} } })
          .invalid('production'),
      ],
    },
  },
  'service.md: Errors': {
    'project-type mismatch (missing or unneeded `env`, unknown environment, flat state versus environments)':
      {
        'create-multi-unknown-environment': [
          platformCi.create({ name: 'x', environments: { mars: {} } }).invalid('mars'),
          platformCi.create({ name: 'x', environments: { Production: {} } }).invalid('Production'),
          platformCi.create({ name: 'x', environments: { '': {} } }).is(400),
          platformCi
            .create({ name: 'x', environments: { prototype: {}, toString: {} } })
            .invalid('prototype', 'toString'),
        ],
      },
  },
  'service.md: PATCH /api/v1/flags/{id}': {
    '`null` is rejected for every key except `audienceId`.': {
      'create-multi-null-state': platformCi
        .create({
          name: 'x',
          environments: {
            staging: { enabled: null, trafficPercentage: null, cohorts: null, audienceId: null },
          },
        })
        .invalid(
          'environments.staging.enabled',
          'environments.staging.trafficPercentage',
          'environments.staging.cohorts',
          { $not: { $contains: 'audienceId' } },
        ),
    },
    '`cohorts: []` removes the override and the environment inherits the flag-wide list': {
      'create-multi-own-list-is-an-override': [
        make('flag', { environments: { staging: { cohorts: ['own'] } } }, platformCi),
        platformCi
          .change('${flag}?env=staging', { cohorts: [] })
          .is(200, { changed: true, flag: { cohorts: [] } }),
        platformCi.change('${flag}?env=staging', { cohorts: [] }).is(200, { changed: false }),
      ],
    },
    'an empty list always means inherit': {
      'create-multi-empty-list-is-no-override': [
        make('flag', { environments: { staging: { cohorts: [] } } }, platformCi),
        platformCi.change('${flag}?env=staging', { cohorts: [] }).is(200, { changed: false }),
      ],
    },
  },
};
