import type { Topic } from '../conformance-case.ts';
import { anyId, ci, each, flat, make, numbered, platformCi, reader, text } from '../steps.ts';

export const createSingle: Topic = {
  'decisions.md: Management API: the rest': {
    'Omitted state on any create, per environment or not: `enabled: false`, `trafficPercentage: 0`, `cohorts: []`, `audienceId: null`.':
      {
        'create-name-only': ci.create({ name: '${case}' }).exactly(201, flat({ id: anyId })),
      },
    'Lengths count code points; names are stored trimmed.': {
      'create-name-of-200-astral-characters': [
        ci.create({ name: '😀'.repeat(200) }).is(201, { name: '😀'.repeat(200) }),
        ci.create({ name: '😀'.repeat(201) }).invalid('name'),
      ],
      'create-name-trimmed': [
        ci.create({ name: '  ${case}  ' }).is(201, { name: '${case}' }),
        reader.list('?name=${case}').is(200, { flags: { $length: 1 } }),
      ],
    },
    "An unknown audience on create: the patch's sentence, preceded by `environments.<env>.audienceId: ` when nested, joined with the other problems.":
      {
        'create-audience-unknown': ci
          .create({ name: 'x', audienceId: 'nobody' })
          .invalid({ $exactly: 'Audience "nobody" does not exist on this project.' }),
        'create-audience-joined': ci
          .create({ name: 'x', trafficPercentage: 101, audienceId: 'nobody' })
          .invalid('must be a whole number between 0 and 100; ', {
            $includes: 'Audience "nobody" does not exist on this project.',
          }),
      },
    'Unknown keys in a create body are rejected by name, as in a patch.': {
      'create-unknown-keys': [
        ci.create({ name: 'x', foo: 1 }).invalid({ $includes: 'unknown field "foo"' }),
        ci
          .create({ name: 'x', id: 'A'.repeat(20), kind: 'flag', updatedAt: 1 })
          .invalid(
            { $includes: 'unknown field "id"' },
            { $includes: 'unknown field "kind"' },
            { $includes: 'unknown field "updatedAt"' },
          ),
        ci.create({ name: 'x', Enabled: true }).invalid({ $includes: 'unknown field "Enabled"' }),
      ],
    },
    '`__proto__`, `constructor` and `prototype` are unknown keys like any other.': {
      'create-prototype-keys': [
        ci
          .create(text('{"name":"x","__proto__":{"enabled":true}}'))
          .invalid({ $includes: 'unknown field "__proto__"' }),
        ci
          .create(text('{"name":"x","constructor":{"enabled":true}}'))
          .invalid({ $includes: 'unknown field "constructor"' }),
        ci
          .create(text('{"name":"x","prototype":{"enabled":true}}'))
          .invalid({ $includes: 'unknown field "prototype"' }),
        ci
          .create(text('{"name":"x","toString":{"enabled":true}}'))
          .invalid({ $includes: 'unknown field "toString"' }),
        ci
          .create(text('{"name":"x","hasOwnProperty":{"enabled":true}}'))
          .invalid({ $includes: 'unknown field "hasOwnProperty"' }),
      ],
      'create-escaped-prototype-key': ci
        .create(text('{"name":"x","__pro\\u0074o__":1}'))
        .invalid({ $includes: 'unknown field "__proto__"' }),
    },
    'Unknown query parameters are ignored.': {
      'create-env-in-the-query': ci.post('/api/v1/flags?dry=1', { name: 'x' }).is(201),
    },
  },
  'service.md: POST /api/v1/flags': {
    'Returns 201 with the new flag in the standard representation.': {
      'create-with-every-field': ci
        .create({
          name: '${case}',
          description: 'What it does',
          tags: ['a', 'b'],
          enabled: true,
          trafficPercentage: 25,
          cohorts: ['x', 'y'],
          audienceId: '${audience:shop/Pro}',
        })
        .exactly(
          201,
          flat({
            id: anyId,
            enabled: true,
            trafficPercentage: 25,
            cohorts: ['x', 'y'],
            audienceId: '${audience:shop/Pro}',
          }),
        ),
    },
    'All body problems are reported together, each naming its path': {
      'create-without-a-name': [...each([{}, { enabled: true }], (body) => ci.create(body).invalid('name'))],
      'create-description-types': [
        ci.create({ name: 'x', description: 5 }).invalid('description'),
        ci.create({ name: 'x', description: null }).invalid('description'),
        ci.create({ name: 'x', description: ['a'] }).invalid('description'),
        ci.create({ name: 'x', description: {} }).invalid('description'),
      ],
      'create-tags-types': [
        ci.create({ name: 'x', tags: 'a' }).invalid('tags'),
        ci.create({ name: 'x', tags: null }).invalid('tags'),
        ci.create({ name: 'x', tags: [1] }).invalid('tags'),
        ci.create({ name: 'x', tags: { '0': 'a' } }).invalid('tags'),
        ci.create({ name: 'x', tags: [null] }).invalid('tags'),
      ],
      'create-all-problems-together': ci
        .create({ name: '', enabled: 'yes', trafficPercentage: 101, cohorts: [''], tags: 'x', foo: 1 })
        .invalid('name', 'enabled', 'trafficPercentage', 'cohorts', 'tags', 'foo'),
      'create-refused-creates-nothing': [
        ci.create({ name: '${case}', trafficPercentage: 101 }).is(400),
        reader.list('?name=${case}').exactly(200, { flags: [] }),
      ],
    },
    '| enabled | boolean | no | |': {
      'create-enabled-types': [
        ci.create({ name: 'x', enabled: 'true' }).invalid('enabled'),
        ci.create({ name: 'x', enabled: 1 }).invalid('enabled'),
        ci.create({ name: 'x', enabled: 0 }).invalid('enabled'),
        ci.create({ name: 'x', enabled: null }).invalid('enabled'),
        ci.create({ name: 'x', enabled: [] }).invalid('enabled'),
        ci.create({ name: 'x', enabled: {} }).invalid('enabled'),
      ],
    },
    '| trafficPercentage | integer 0 to 100 | no | |': {
      'create-percentage-boundaries': [
        ci.create({ name: 'x', trafficPercentage: 0 }).is(201, { trafficPercentage: 0 }),
        ci.create({ name: 'x', trafficPercentage: 1 }).is(201, { trafficPercentage: 1 }),
        ci.create({ name: 'x', trafficPercentage: 99 }).is(201, { trafficPercentage: 99 }),
        ci.create({ name: 'x', trafficPercentage: 100 }).is(201, { trafficPercentage: 100 }),
      ],
    },
    '| cohorts | array of string | no | |': {
      'create-cohorts-types': [
        ci.create({ name: 'x', cohorts: 'a' }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: null }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: [1] }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: [null] }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: [['a']] }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: { '0': 'a' } }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: true }).invalid('cohorts'),
      ],
    },
    "absent or null means no audience; an id that is not one of the project's audiences gives 400": {
      'create-audience-null': ci.create({ name: 'x', audienceId: null }).is(201, { audienceId: null }),
      'create-audience-of-another-project': ci
        .create({ name: 'x', audienceId: '${audience:warehouse/Elsewhere}' })
        .invalid({ $exactly: 'Audience "${audience:warehouse/Elsewhere}" does not exist on this project.' }),
      'create-audience-by-name': [
        ci
          .create({ name: 'x', audienceId: 'Pro' })
          .invalid({ $includes: 'Audience "Pro" does not exist on this project.' }),
        ci
          .create({ name: 'x', audienceId: '' })
          .invalid({ $includes: 'Audience "" does not exist on this project.' }),
        ci
          .create({ name: 'x', audienceId: '__proto__' })
          .invalid({ $includes: 'Audience "__proto__" does not exist on this project.' }),
      ],
      'create-audience-types': [
        ci.create({ name: 'x', audienceId: 1 }).invalid('audienceId'),
        ci.create({ name: 'x', audienceId: true }).invalid('audienceId'),
        ci.create({ name: 'x', audienceId: [] }).invalid('audienceId'),
        ci.create({ name: 'x', audienceId: {} }).invalid('audienceId'),
      ],
    },
    'Flat state sent to a multi-environment project, or `environments` sent to a single-environment project: 400 naming the fix.':
      {
        'create-environments-in-a-single-environment-project': [
          ci.create({ name: 'x', environments: {} }).invalid('environments'),
          ci.create({ name: 'x', environments: { production: { enabled: true } } }).invalid('environments'),
          ci.create({ name: 'x', environments: null }).invalid('environments'),
        ],
      },
    'A body is always required; an empty body gives a 400 whose detail says the request body is empty and a JSON object must be sent.':
      {
        'create-empty-body': [
          ci.post('/api/v1/flags').invalid('empty', 'JSON object'),
          ci.create(text('')).invalid('empty', 'JSON object'),
          platformCi.post('/api/v1/flags').invalid('empty', 'JSON object'),
        ],
      },
  },
  'service.md: Flag representation': {
    '`updatedAt` (integer, Unix milliseconds)': {
      'create-updated-at-is-now': ci.create({ name: '${case}' }).is(201, { updatedAt: { $near: 60000 } }),
    },
  },
  'decisions.md: Names and ids': {
    'Flag names: 1 to 200 characters after trimming': {
      'create-name-null': ci.create({ name: null }).invalid('name'),
      'create-name-number': ci.create({ name: 7 }).invalid('name'),
      'create-name-empty': ci.create({ name: '' }).invalid('name'),
      'create-name-spaces': ci.create({ name: '   ' }).invalid('name'),
      'create-name-list': ci.create({ name: ['x'] }).invalid('name'),
      'create-name-object': ci.create({ name: { a: 1 } }).invalid('name'),
      'create-name-boolean': ci.create({ name: true }).invalid('name'),
      'create-name-of-200': [
        ci.create({ name: 'n'.repeat(200) }).is(201, { name: 'n'.repeat(200) }),
        ci.create({ name: `  ${'m'.repeat(200)}  ` }).is(201, { name: 'm'.repeat(200) }),
      ],
      'create-name-of-201': ci.create({ name: 'n'.repeat(201) }).invalid('name', '200'),
      'create-name-of-any-script': [
        ci.create({ name: '東京' }).is(201, { name: '東京' }),
        ci.create({ name: 'a"b\\c' }).is(201, { name: 'a"b\\c' }),
        ci.create({ name: '<script>' }).is(201, { name: '<script>' }),
        ci.create({ name: 'a/b?c#d&e=f' }).is(201, { name: 'a/b?c#d&e=f' }),
        ci.create({ name: 'x' }).is(201, { name: 'x' }),
        ci.create({ name: 'é' }).is(201, { name: 'é' }),
      ],
    },
    'no control characters, not unique': {
      'create-name-control-characters': [
        ci.create(text('{"name":"a\\u0000b"}')).invalid('name'),
        ci.create(text('{"name":"a\\u0007b"}')).invalid('name'),
        ci.create(text('{"name":"a\\nb"}')).invalid('name'),
        ci.create(text('{"name":"a\\tb"}')).invalid('name'),
        ci.create(text('{"name":"a\\u001fb"}')).invalid('name'),
        ci.create(text('{"name":"a\\u007fb"}')).invalid('name'),
      ],
    },
    'not unique (the list filter may return several)': {
      'create-name-not-unique': [make('a'), ci.create({ name: '${case}' }).is(201, { id: { $not: '${a}' } })],
    },
    'Description up to 2,000 characters; at most 50 tags of 1 to 64 characters.': {
      'create-description-of-2000': [
        ci.create({ name: 'x', description: 'd'.repeat(2000) }).is(201),
        ci.create({ name: 'x', description: '😀'.repeat(2000) }).is(201),
        ci.create({ name: 'x', description: '' }).is(201),
      ],
      'create-description-of-2001': ci
        .create({ name: 'x', description: 'd'.repeat(2001) })
        .invalid('description'),
      'create-50-tags': [
        ci.create({ name: 'x', tags: numbered('t', 50) }).is(201),
        ci.create({ name: 'x', tags: [] }).is(201),
      ],
      'create-51-tags': ci.create({ name: 'x', tags: numbered('t', 51) }).invalid('tags', '50'),
      'create-tag-lengths': [
        ci.create({ name: 'x', tags: ['t'.repeat(64), '😀'.repeat(64), 't'] }).is(201),
        ci.create({ name: 'x', tags: ['t'.repeat(65)] }).invalid('tags'),
        ci.create({ name: 'x', tags: [''] }).invalid('tags'),
      ],
    },
    'A cohort is 1 to 256 characters': {
      'create-cohort-lengths': [
        ci
          .create({ name: 'x', cohorts: ['c'.repeat(256), '😀'.repeat(256), 'c'] })
          .is(201, { cohorts: ['c'.repeat(256), '😀'.repeat(256), 'c'] }),
        ci.create({ name: 'x', cohorts: ['c'.repeat(257)] }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: ['😀'.repeat(257)] }).invalid('cohorts'),
        ci.create({ name: 'x', cohorts: [''] }).invalid('cohorts'),
      ],
    },
    '`cohorts` is kept in the order sent; equality is element by element.': {
      'create-cohorts-order': ci
        .create({ name: 'x', cohorts: ['z', 'a', 'm', 'a'] })
        .is(201, { cohorts: ['z', 'a', 'm', 'a'] }),
    },
  },
  'service.md: Limits': {
    'trafficPercentage | whole number 0 to 100 | create and patch': {
      'create-percentage-wrong': [
        ...each(
          [
            { name: 'x', trafficPercentage: -1 },
            { name: 'x', trafficPercentage: 101 },
            { name: 'x', trafficPercentage: 50.5 },
            { name: 'x', trafficPercentage: '50' },
            { name: 'x', trafficPercentage: [50] },
            { name: 'x', trafficPercentage: true },
            { name: 'x', trafficPercentage: 1000000000 },
          ],
          (body) => ci.create(body).invalid('trafficPercentage', 'must be a whole number between 0 and 100'),
        ),
      ],
      'create-percentage-null': ci
        .create({ name: 'x', trafficPercentage: null })
        .invalid('trafficPercentage'),
      'create-percentage-other-spellings': [
        ci.create(text('{"name":"x","trafficPercentage":1e2}')).is(201, { trafficPercentage: 100 }),
        ci.create(text('{"name":"x","trafficPercentage":50.0}')).is(201, { trafficPercentage: 50 }),
        ci.create(text('{"name":"x","trafficPercentage":5E1}')).is(201, { trafficPercentage: 50 }),
        ci.create(text('{"name":"x","trafficPercentage":-0}')).is(201, { trafficPercentage: 0 }),
        ci.create(text('{"name":"x","trafficPercentage":0.0}')).is(201, { trafficPercentage: 0 }),
        ci.create(text('{"name":"x","trafficPercentage":1e400}')).invalid('trafficPercentage'),
        ci.create(text('{"name":"x","trafficPercentage":1e-1}')).invalid('trafficPercentage'),
        ci.create(text('{"name":"x","trafficPercentage":100.00000001}')).invalid('trafficPercentage'),
        ci.create(text('{"name":"x","trafficPercentage":-1e-9}')).invalid('trafficPercentage'),
      ],
    },
  },
};
