import type { Topic } from '../conformance-case.ts';
import {
  anyText,
  ci,
  each,
  evaluate,
  flat,
  make,
  manyFields,
  platformCi,
  reader,
  regionsReader,
  text,
  unknownFields,
} from '../steps.ts';

export const patchRules: Topic = {
  'service.md: Patch result': {
    '`{changed: boolean, flag: flag representation (flat form)}`.': {
      'patch-result': [
        make('flag'),
        ci.change('${flag}', { enabled: true }).patched(true, { enabled: true }),
      ],
    },
  },
  'service.md: PATCH /api/v1/flags/{id}': {
    'Returns 200 with `{changed, flag}`; the flag is flat.': {
      'patch-result-of-a-group-flag': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=staging', { enabled: true })
          .patched(true, { enabled: true, environment: 'staging' }),
      ],
    },
    'A present key replaces the stored value; an absent key is left alone.': {
      'patch-rule-1': [
        make('flag', {
          enabled: true,
          trafficPercentage: 40,
          cohorts: ['a'],
          audienceId: '${audience:shop/Pro}',
        }),
        ci.change('${flag}', { trafficPercentage: 41 }).patched(true, {
          enabled: true,
          trafficPercentage: 41,
          cohorts: ['a'],
          audienceId: '${audience:shop/Pro}',
        }),
        ci
          .change('${flag}', { enabled: false })
          .patched(true, { trafficPercentage: 41, cohorts: ['a'], audienceId: '${audience:shop/Pro}' }),
        ci
          .change('${flag}', { cohorts: ['b', 'c'] })
          .patched(true, { trafficPercentage: 41, cohorts: ['b', 'c'], audienceId: '${audience:shop/Pro}' }),
        reader
          .read('${flag}')
          .exactly(
            200,
            flat({ trafficPercentage: 41, cohorts: ['b', 'c'], audienceId: '${audience:shop/Pro}' }),
          ),
      ],
      'patch-every-key-at-once': [
        make('flag'),
        ci
          .change('${flag}', {
            audienceId: '${audience:shop/Pro}',
            cohorts: ['x'],
            trafficPercentage: 7,
            enabled: true,
          })
          .patched(true, {
            enabled: true,
            trafficPercentage: 7,
            cohorts: ['x'],
            audienceId: '${audience:shop/Pro}',
          }),
      ],
    },
    '`null` is rejected for every key except `audienceId`.': {
      'patch-rule-2-enabled': [
        make('flag'),
        ci.change('${flag}', { enabled: null }).invalid({ $exactly: '"enabled" cannot be null' }),
      ],
      'patch-rule-2-trafficpercentage': [
        make('flag'),
        ci
          .change('${flag}', { trafficPercentage: null })
          .invalid({ $exactly: '"trafficPercentage" cannot be null' }),
      ],
      'patch-rule-2-cohorts': [
        make('flag'),
        ci.change('${flag}', { cohorts: null }).invalid({ $exactly: '"cohorts" cannot be null' }),
      ],
      'patch-rule-2-audience': [
        make('flag'),
        ci.change('${flag}', { audienceId: null }).is(200, { changed: false, flag: { audienceId: null } }),
      ],
      'patch-rule-2-all': [
        make('flag'),
        ci
          .change('${flag}', { enabled: null, trafficPercentage: null, cohorts: null, audienceId: null })
          .invalid({
            $exactly:
              '"enabled" cannot be null; "trafficPercentage" cannot be null; "cohorts" cannot be null',
          }),
      ],
    },
    'Unknown keys are rejected by name.': {
      'patch-rule-3': [
        make('flag'),
        ci.change('${flag}', { foo: 1 }).invalid({ $exactly: 'unknown field "foo"' }),
        ci
          .change('${flag}', { enabled: true, foo: 1, bar: null })
          .invalid({ $exactly: 'unknown field "foo"; unknown field "bar"' }),
        reader.read('${flag}').is(200, { enabled: false }),
      ],
      'patch-rule-3-console-only-fields': [
        make('flag'),
        ci
          .change('${flag}', { name: 'x', description: 'y', tags: [], kind: 'flag', id: 'A'.repeat(20) })
          .invalid({
            $exactly:
              'unknown field "name"; unknown field "description"; unknown field "tags"; unknown field "kind"; unknown field "id"',
          }),
      ],
      'patch-rule-3-environments': [
        platformCi
          .change('${flag:platform/plain}?env=staging', { environments: { staging: { enabled: true } } })
          .invalid('environments'),
        platformCi
          .change('${flag:platform/plain}?env=staging', { environment: 'staging' })
          .invalid({ $exactly: 'unknown field "environment"' }),
      ],
    },
    '`cohorts` replaces the whole list; `[]` clears it.': {
      'patch-rule-4': [
        make('flag', { cohorts: ['a', 'b'] }),
        ci.change('${flag}', { cohorts: ['c'] }).patched(true, { cohorts: ['c'] }),
        ci.change('${flag}', { cohorts: [] }).patched(true),
        ci.change('${flag}', { cohorts: [] }).patched(false),
      ],
    },
    '`audienceId` set to an id attaches the audience; `null` detaches it so the flag applies to everyone.': {
      'patch-rule-5': [
        make('flag', { enabled: true, trafficPercentage: 100 }),
        ci
          .change('${flag}', { audienceId: '${audience:shop/Pro}' })
          .is(200, { changed: true, flag: { audienceId: '${audience:shop/Pro}' } }),
        evaluate('${flag}?plan=free').is(200, { enabled: false }),
        evaluate('${flag}?plan=pro').is(200, { enabled: true }),
        ci.change('${flag}', { audienceId: null }).is(200, { changed: true, flag: { audienceId: null } }),
        evaluate('${flag}?plan=free').is(200, { enabled: true }),
      ],
    },
    'An empty body or a body with no keys (such as `{}`) is a 400 whose detail says no fields to update and lists the four accepted keys.':
      {
        'patch-rule-8': [
          make('flag'),
          ci
            .change('${flag}', {})
            .invalid('no fields to update', 'enabled', 'trafficPercentage', 'cohorts', 'audienceId'),
          ci
            .change('${flag}', text(''))
            .invalid('no fields to update', 'enabled', 'trafficPercentage', 'cohorts', 'audienceId'),
          ci
            .patch('/api/v1/flags/${flag}')
            .invalid('no fields to update', 'enabled', 'trafficPercentage', 'cohorts', 'audienceId'),
          ci
            .change('${flag}', text(' { } '))
            .invalid('no fields to update', 'enabled', 'trafficPercentage', 'cohorts', 'audienceId'),
        ],
        'patch-rule-8-group': [
          platformCi
            .change('${flag:platform/plain}?env=staging', {})
            .invalid('no fields to update', 'enabled', 'trafficPercentage', 'cohorts', 'audienceId'),
          platformCi
            .patch('/api/v1/flags/${flag:platform/plain}?env=staging')
            .invalid('no fields to update', 'enabled', 'trafficPercentage', 'cohorts', 'audienceId'),
        ],
      },
    'All problems are reported at once, joined with a semicolon and space in `detail`.': {
      'patch-rule-9': [
        make('flag'),
        ci.change('${flag}', { foo: 1, enabled: null, trafficPercentage: 101 }).exactly(400, {
          error: 'Invalid request',
          detail:
            'unknown field "foo"; "enabled" cannot be null; "trafficPercentage" must be a whole number between 0 and 100',
          docs: anyText,
        }),
      ],
      'patch-rule-9-with-types': [
        make('flag'),
        ci
          .change('${flag}', { enabled: 'yes', trafficPercentage: '50', cohorts: 'a', audienceId: 7 })
          .invalid(
            '"enabled"',
            '"trafficPercentage" must be a whole number between 0 and 100',
            '"cohorts"',
            '"audienceId"',
          ),
      ],
      'patch-rule-9-with-an-audience': [
        make('flag'),
        ci.change('${flag}', { trafficPercentage: 101, audienceId: 'nobody' }).invalid({
          $exactly:
            '"trafficPercentage" must be a whole number between 0 and 100; Audience "nobody" does not exist on this project.',
        }),
        ci
          .change('${flag}', { audienceId: 'nobody', foo: 1 })
          .invalid({ $exactly: 'Audience "nobody" does not exist on this project.; unknown field "foo"' }),
      ],
      'patch-refused-changes-nothing': [
        make('flag', {
          enabled: true,
          trafficPercentage: 30,
          cohorts: ['a', 'b'],
          audienceId: '${audience:shop/Pro}',
        }),
        ci.read('${flag}').is(200).keep({ at: 'body.updatedAt' }),
        ci.change('${flag}', { enabled: false, trafficPercentage: 101 }).is(400),
        ci.read('${flag}').is(200, {
          enabled: true,
          trafficPercentage: 30,
          cohorts: ['a', 'b'],
          audienceId: '${audience:shop/Pro}',
          updatedAt: '${at}',
        }),
      ],
    },
    'An `audienceId` that does not exist on the project is a 400 with detail `Audience "<audience_id>" does not exist on this project.`':
      {
        'patch-rule-10': [
          make('flag'),
          ci.change('${flag}', { audienceId: 'A'.repeat(20) }).exactly(400, {
            error: 'Invalid request',
            detail: `Audience "${'A'.repeat(20)}" does not exist on this project.`,
            docs: anyText,
          }),
          ci
            .change('${flag}', { audienceId: '${audience:platform/Pro}' })
            .invalid({ $exactly: 'Audience "${audience:platform/Pro}" does not exist on this project.' }),
          reader.read('${flag}').is(200, { audienceId: null }),
        ],
      },
    'If the patch leaves the flag exactly as it is, the result is 200 with `changed: false`.': {
      'patch-rule-11': [
        make('flag', {
          enabled: true,
          trafficPercentage: 30,
          cohorts: ['a', 'b'],
          audienceId: '${audience:shop/Pro}',
        }),
        ...each(
          [
            { enabled: true, trafficPercentage: 30, cohorts: ['a', 'b'], audienceId: '${audience:shop/Pro}' },
            { enabled: true },
            { cohorts: ['a', 'b'] },
          ],
          (body) =>
            ci.change('${flag}', body).patched(false, {
              enabled: true,
              trafficPercentage: 30,
              cohorts: ['a', 'b'],
              audienceId: '${audience:shop/Pro}',
            }),
        ),
      ],
      'patch-with-the-defaults-of-a-new-flag': [
        make('flag'),
        ci
          .change('${flag}', { enabled: false, trafficPercentage: 0, cohorts: [], audienceId: null })
          .patched(false),
      ],
      'patch-one-of-two-differs': [
        make('flag', {
          enabled: true,
          trafficPercentage: 30,
          cohorts: ['a', 'b'],
          audienceId: '${audience:shop/Pro}',
        }),
        ci.change('${flag}', { enabled: true, trafficPercentage: 31 }).is(200, { changed: true }),
      ],
    },
    '`"trafficPercentage" must be a whole number between 0 and 100`': {
      'patch-percentage-wrong': [
        make('flag'),
        ...each(
          [
            { trafficPercentage: -1 },
            { trafficPercentage: 101 },
            { trafficPercentage: 0.5 },
            { trafficPercentage: 99.999 },
            { trafficPercentage: '50' },
            { trafficPercentage: '' },
            { trafficPercentage: true },
            { trafficPercentage: [] },
            { trafficPercentage: {} },
            { trafficPercentage: 1e300 },
          ],
          (body) =>
            ci
              .change('${flag}', body)
              .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ),
      ],
    },
    '`enabled` (boolean)': {
      'patch-enabled-types': [
        make('flag'),
        ci.change('${flag}', { enabled: 'true' }).invalid('"enabled"'),
        ci.change('${flag}', { enabled: 1 }).invalid('"enabled"'),
        ci.change('${flag}', { enabled: 0 }).invalid('"enabled"'),
        ci.change('${flag}', { enabled: [] }).invalid('"enabled"'),
        ci.change('${flag}', { enabled: {} }).invalid('"enabled"'),
        ci.change('${flag}', { enabled: '' }).invalid('"enabled"'),
      ],
    },
    '`cohorts` (array of string)': {
      'patch-cohorts-types': [
        make('flag'),
        ci.change('${flag}', { cohorts: 'a' }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: 1 }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: {} }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: true }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: [1] }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: [null] }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: ['a', ['b']] }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: [{}] }).invalid('cohorts'),
      ],
    },
    '`audienceId` (string or null)': {
      'patch-audience-types': [
        make('flag'),
        ci.change('${flag}', { audienceId: 1 }).invalid('audienceId'),
        ci.change('${flag}', { audienceId: true }).invalid('audienceId'),
        ci.change('${flag}', { audienceId: [] }).invalid('audienceId'),
        ci.change('${flag}', { audienceId: {} }).invalid('audienceId'),
        ci.change('${flag}', { audienceId: ['${audience:shop/Pro}'] }).invalid('audienceId'),
      ],
    },
  },
  'decisions.md: Management API: the rest': {
    '`__proto__`, `constructor` and `prototype` are unknown keys like any other.': {
      'patch-prototype-keys': [
        make('flag'),
        ci
          .change('${flag}', text('{"__proto__":{"enabled":true}}'))
          .invalid({ $exactly: 'unknown field "__proto__"' }),
        ci
          .change('${flag}', text('{"constructor":{"enabled":true}}'))
          .invalid({ $exactly: 'unknown field "constructor"' }),
        ci
          .change('${flag}', text('{"prototype":{"enabled":true}}'))
          .invalid({ $exactly: 'unknown field "prototype"' }),
        ci
          .change('${flag}', text('{"toString":{"enabled":true}}'))
          .invalid({ $exactly: 'unknown field "toString"' }),
        ci.change('${flag}', text('{"__proto__":null}')).invalid('__proto__'),
        reader.read('${flag}').is(200, { enabled: false }),
      ],
    },
  },
  'decisions.md: Management API: the order of checks': {
    'the first 50, then `; and N more`': {
      'patch-rule-9-first-fifty': [
        make('flag'),
        ci.change('${flag}', manyFields(50)).invalid({ $exactly: unknownFields(50) }),
        ci.change('${flag}', manyFields(51)).invalid({ $exactly: `${unknownFields(50)}; and 1 more` }),
        ci.change('${flag}', manyFields(120)).invalid({ $exactly: `${unknownFields(50)}; and 70 more` }),
      ],
    },
    'Keys and values quoted in a message are cut at 64 characters.': {
      'patch-long-key-is-cut': [
        make('flag'),
        ci
          .change('${flag}', { ['k'.repeat(64)]: 1 })
          .invalid({ $exactly: `unknown field "${'k'.repeat(64)}"` }),
        ci
          .change('${flag}', { ['k'.repeat(200)]: 1 })
          .invalid('k'.repeat(60), { $not: { $contains: 'k'.repeat(65) } }),
      ],
      'patch-long-audience-is-cut': [
        make('flag'),
        ci
          .change('${flag}', { audienceId: 'a'.repeat(300) })
          .invalid('a'.repeat(60), { $not: { $contains: 'a'.repeat(65) } }),
      ],
      'read-long-env-is-cut': regionsReader
        .read(`\${flag:regions/beta}?env=${'e'.repeat(300)}`)
        .invalid('e'.repeat(60), { $not: { $contains: 'e'.repeat(65) } }),
    },
  },
  'service.md: What the service does': {
    'A patch that changes nothing is safe to repeat on every run.': {
      'patch-safe-to-repeat': [
        make('flag'),
        ci.change('${flag}', { enabled: true, trafficPercentage: 50 }).is(200, { changed: true }),
        ci.change('${flag}', { enabled: true, trafficPercentage: 50 }).is(200, { changed: false }).times(5),
      ],
    },
    'stages a percentage rollout (for example 50 then 100)': {
      'patch-typical-rollout': [
        make('flag'),
        ci.change('${flag}', { enabled: true, trafficPercentage: 50 }).is(200, { changed: true }),
        ci.change('${flag}', { trafficPercentage: 100 }).is(200, { changed: true }),
        evaluate('${flag}').is(200, { enabled: true }),
        ci.change('${flag}', { enabled: false }).is(200, { changed: true }),
        evaluate('${flag}').is(200, { enabled: false }),
      ],
    },
  },
  'decisions.md: Names and ids': {
    '`cohorts` is kept in the order sent; equality is element by element.': {
      'patch-cohorts-in-another-order': [
        make('flag', { cohorts: ['a', 'b'] }),
        ci.change('${flag}', { cohorts: ['b', 'a'] }).patched(true, { cohorts: ['b', 'a'] }),
        ci.change('${flag}', { cohorts: ['b', 'a', 'a'] }).patched(true, { cohorts: ['b', 'a', 'a'] }),
        ci.change('${flag}', { cohorts: ['b', 'a', 'a'] }).patched(false, { cohorts: ['b', 'a', 'a'] }),
      ],
    },
    'A cohort is 1 to 256 characters': {
      'patch-cohort-lengths': [
        make('flag'),
        ci.change('${flag}', { cohorts: ['c'.repeat(256)] }).is(200, { changed: true }),
        ci.change('${flag}', { cohorts: ['😀'.repeat(256)] }).is(200, { changed: true }),
        ci.change('${flag}', { cohorts: ['c'.repeat(257)] }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: ['😀'.repeat(257)] }).invalid('cohorts'),
        ci.change('${flag}', { cohorts: ['ok', ''] }).invalid('cohorts'),
      ],
    },
  },
  'service.md: Limits': {
    '| trafficPercentage | whole number 0 to 100 | create and patch |': {
      'patch-percentage-boundaries': [
        make('flag', { trafficPercentage: 50 }),
        ci
          .change('${flag}', { trafficPercentage: 0 })
          .is(200, { changed: true, flag: { trafficPercentage: 0 } }),
        ci
          .change('${flag}', { trafficPercentage: 1 })
          .is(200, { changed: true, flag: { trafficPercentage: 1 } }),
        ci
          .change('${flag}', { trafficPercentage: 99 })
          .is(200, { changed: true, flag: { trafficPercentage: 99 } }),
        ci
          .change('${flag}', { trafficPercentage: 100 })
          .is(200, { changed: true, flag: { trafficPercentage: 100 } }),
      ],
    },
  },
  'service.md: States and transitions': {
    '| enabled=false | PATCH with `enabled: true` | write token; body valid | enabled=true | 200, `changed: true`, updatedAt increases, audit entry written |':
      {
        'patch-enable-and-disable': [
          make('flag'),
          ci.read('${flag}').is(200).keep({ at: 'body.updatedAt' }),
          ci
            .change('${flag}', { enabled: true })
            .is(200, { changed: true, flag: { enabled: true, updatedAt: { $gt: '${at}' } } })
            .keep({ at: 'body.flag.updatedAt' }),
          ci
            .change('${flag}', { enabled: false })
            .is(200, { changed: true, flag: { enabled: false, updatedAt: { $gt: '${at}' } } }),
        ],
      },
  },
};
