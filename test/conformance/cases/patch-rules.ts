import type { Topic } from '../conformance-case.ts';
import { anyText, as, ci, evaluate, flat, make, platformCi, reader, text } from '../steps.ts';

export const patchRules: Topic = {
  'service.md: Patch result': {
    '`{changed: boolean, flag: flag representation (flat form)}`.': {
      'patch-result': [
        make('flag'),
        ci
          .change('${flag}', { enabled: true })
          .exactly(200, { changed: true, flag: flat({ enabled: true }) }),
      ],
    },
  },
  'service.md: PATCH /api/v1/flags/{id}': {
    'Returns 200 with `{changed, flag}`; the flag is flat.': {
      'patch-result-of-a-group-flag': [
        make('flag', {}, platformCi),
        platformCi
          .change('${flag}?env=staging', { enabled: true })
          .exactly(200, { changed: true, flag: flat({ enabled: true, environment: 'staging' }) }),
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
        ci.change('${flag}', { trafficPercentage: 41 }).exactly(200, {
          changed: true,
          flag: flat({
            enabled: true,
            trafficPercentage: 41,
            cohorts: ['a'],
            audienceId: '${audience:shop/Pro}',
          }),
        }),
        ci.change('${flag}', { enabled: false }).exactly(200, {
          changed: true,
          flag: flat({ trafficPercentage: 41, cohorts: ['a'], audienceId: '${audience:shop/Pro}' }),
        }),
        ci.change('${flag}', { cohorts: ['b', 'c'] }).exactly(200, {
          changed: true,
          flag: flat({ trafficPercentage: 41, cohorts: ['b', 'c'], audienceId: '${audience:shop/Pro}' }),
        }),
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
          .exactly(200, {
            changed: true,
            flag: flat({
              enabled: true,
              trafficPercentage: 7,
              cohorts: ['x'],
              audienceId: '${audience:shop/Pro}',
            }),
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
        ci
          .change('${flag}', { cohorts: ['c'] })
          .exactly(200, { changed: true, flag: flat({ cohorts: ['c'] }) }),
        ci.change('${flag}', { cohorts: [] }).exactly(200, { changed: true, flag: flat() }),
        ci.change('${flag}', { cohorts: [] }).exactly(200, { changed: false, flag: flat() }),
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
        ci
          .change('${flag}', {
            enabled: true,
            trafficPercentage: 30,
            cohorts: ['a', 'b'],
            audienceId: '${audience:shop/Pro}',
          })
          .exactly(200, {
            changed: false,
            flag: flat({
              enabled: true,
              trafficPercentage: 30,
              cohorts: ['a', 'b'],
              audienceId: '${audience:shop/Pro}',
            }),
          }),
        ci.change('${flag}', { enabled: true }).exactly(200, {
          changed: false,
          flag: flat({
            enabled: true,
            trafficPercentage: 30,
            cohorts: ['a', 'b'],
            audienceId: '${audience:shop/Pro}',
          }),
        }),
        ci.change('${flag}', { cohorts: ['a', 'b'] }).exactly(200, {
          changed: false,
          flag: flat({
            enabled: true,
            trafficPercentage: 30,
            cohorts: ['a', 'b'],
            audienceId: '${audience:shop/Pro}',
          }),
        }),
      ],
      'patch-with-the-defaults-of-a-new-flag': [
        make('flag'),
        ci
          .change('${flag}', { enabled: false, trafficPercentage: 0, cohorts: [], audienceId: null })
          .exactly(200, { changed: false, flag: flat() }),
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
        ci
          .change('${flag}', { trafficPercentage: -1 })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: 101 })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: 0.5 })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: 99.999 })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: '50' })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: '' })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: true })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: [] })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: {} })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
        ci
          .change('${flag}', { trafficPercentage: 1e300 })
          .invalid({ $exactly: '"trafficPercentage" must be a whole number between 0 and 100' }),
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
        ci
          .change('${flag}', {
            k000: 0,
            k001: 1,
            k002: 2,
            k003: 3,
            k004: 4,
            k005: 5,
            k006: 6,
            k007: 7,
            k008: 8,
            k009: 9,
            k010: 10,
            k011: 11,
            k012: 12,
            k013: 13,
            k014: 14,
            k015: 15,
            k016: 16,
            k017: 17,
            k018: 18,
            k019: 19,
            k020: 20,
            k021: 21,
            k022: 22,
            k023: 23,
            k024: 24,
            k025: 25,
            k026: 26,
            k027: 27,
            k028: 28,
            k029: 29,
            k030: 30,
            k031: 31,
            k032: 32,
            k033: 33,
            k034: 34,
            k035: 35,
            k036: 36,
            k037: 37,
            k038: 38,
            k039: 39,
            k040: 40,
            k041: 41,
            k042: 42,
            k043: 43,
            k044: 44,
            k045: 45,
            k046: 46,
            k047: 47,
            k048: 48,
            k049: 49,
          })
          .invalid({
            $exactly:
              'unknown field "k000"; unknown field "k001"; unknown field "k002"; unknown field "k003"; unknown field "k004"; unknown field "k005"; unknown field "k006"; unknown field "k007"; unknown field "k008"; unknown field "k009"; unknown field "k010"; unknown field "k011"; unknown field "k012"; unknown field "k013"; unknown field "k014"; unknown field "k015"; unknown field "k016"; unknown field "k017"; unknown field "k018"; unknown field "k019"; unknown field "k020"; unknown field "k021"; unknown field "k022"; unknown field "k023"; unknown field "k024"; unknown field "k025"; unknown field "k026"; unknown field "k027"; unknown field "k028"; unknown field "k029"; unknown field "k030"; unknown field "k031"; unknown field "k032"; unknown field "k033"; unknown field "k034"; unknown field "k035"; unknown field "k036"; unknown field "k037"; unknown field "k038"; unknown field "k039"; unknown field "k040"; unknown field "k041"; unknown field "k042"; unknown field "k043"; unknown field "k044"; unknown field "k045"; unknown field "k046"; unknown field "k047"; unknown field "k048"; unknown field "k049"',
          }),
        ci
          .change('${flag}', {
            k000: 0,
            k001: 1,
            k002: 2,
            k003: 3,
            k004: 4,
            k005: 5,
            k006: 6,
            k007: 7,
            k008: 8,
            k009: 9,
            k010: 10,
            k011: 11,
            k012: 12,
            k013: 13,
            k014: 14,
            k015: 15,
            k016: 16,
            k017: 17,
            k018: 18,
            k019: 19,
            k020: 20,
            k021: 21,
            k022: 22,
            k023: 23,
            k024: 24,
            k025: 25,
            k026: 26,
            k027: 27,
            k028: 28,
            k029: 29,
            k030: 30,
            k031: 31,
            k032: 32,
            k033: 33,
            k034: 34,
            k035: 35,
            k036: 36,
            k037: 37,
            k038: 38,
            k039: 39,
            k040: 40,
            k041: 41,
            k042: 42,
            k043: 43,
            k044: 44,
            k045: 45,
            k046: 46,
            k047: 47,
            k048: 48,
            k049: 49,
            k050: 50,
          })
          .invalid({
            $exactly:
              'unknown field "k000"; unknown field "k001"; unknown field "k002"; unknown field "k003"; unknown field "k004"; unknown field "k005"; unknown field "k006"; unknown field "k007"; unknown field "k008"; unknown field "k009"; unknown field "k010"; unknown field "k011"; unknown field "k012"; unknown field "k013"; unknown field "k014"; unknown field "k015"; unknown field "k016"; unknown field "k017"; unknown field "k018"; unknown field "k019"; unknown field "k020"; unknown field "k021"; unknown field "k022"; unknown field "k023"; unknown field "k024"; unknown field "k025"; unknown field "k026"; unknown field "k027"; unknown field "k028"; unknown field "k029"; unknown field "k030"; unknown field "k031"; unknown field "k032"; unknown field "k033"; unknown field "k034"; unknown field "k035"; unknown field "k036"; unknown field "k037"; unknown field "k038"; unknown field "k039"; unknown field "k040"; unknown field "k041"; unknown field "k042"; unknown field "k043"; unknown field "k044"; unknown field "k045"; unknown field "k046"; unknown field "k047"; unknown field "k048"; unknown field "k049"; and 1 more',
          }),
        ci
          .change('${flag}', {
            k000: 0,
            k001: 1,
            k002: 2,
            k003: 3,
            k004: 4,
            k005: 5,
            k006: 6,
            k007: 7,
            k008: 8,
            k009: 9,
            k010: 10,
            k011: 11,
            k012: 12,
            k013: 13,
            k014: 14,
            k015: 15,
            k016: 16,
            k017: 17,
            k018: 18,
            k019: 19,
            k020: 20,
            k021: 21,
            k022: 22,
            k023: 23,
            k024: 24,
            k025: 25,
            k026: 26,
            k027: 27,
            k028: 28,
            k029: 29,
            k030: 30,
            k031: 31,
            k032: 32,
            k033: 33,
            k034: 34,
            k035: 35,
            k036: 36,
            k037: 37,
            k038: 38,
            k039: 39,
            k040: 40,
            k041: 41,
            k042: 42,
            k043: 43,
            k044: 44,
            k045: 45,
            k046: 46,
            k047: 47,
            k048: 48,
            k049: 49,
            k050: 50,
            k051: 51,
            k052: 52,
            k053: 53,
            k054: 54,
            k055: 55,
            k056: 56,
            k057: 57,
            k058: 58,
            k059: 59,
            k060: 60,
            k061: 61,
            k062: 62,
            k063: 63,
            k064: 64,
            k065: 65,
            k066: 66,
            k067: 67,
            k068: 68,
            k069: 69,
            k070: 70,
            k071: 71,
            k072: 72,
            k073: 73,
            k074: 74,
            k075: 75,
            k076: 76,
            k077: 77,
            k078: 78,
            k079: 79,
            k080: 80,
            k081: 81,
            k082: 82,
            k083: 83,
            k084: 84,
            k085: 85,
            k086: 86,
            k087: 87,
            k088: 88,
            k089: 89,
            k090: 90,
            k091: 91,
            k092: 92,
            k093: 93,
            k094: 94,
            k095: 95,
            k096: 96,
            k097: 97,
            k098: 98,
            k099: 99,
            k100: 100,
            k101: 101,
            k102: 102,
            k103: 103,
            k104: 104,
            k105: 105,
            k106: 106,
            k107: 107,
            k108: 108,
            k109: 109,
            k110: 110,
            k111: 111,
            k112: 112,
            k113: 113,
            k114: 114,
            k115: 115,
            k116: 116,
            k117: 117,
            k118: 118,
            k119: 119,
          })
          .invalid({
            $exactly:
              'unknown field "k000"; unknown field "k001"; unknown field "k002"; unknown field "k003"; unknown field "k004"; unknown field "k005"; unknown field "k006"; unknown field "k007"; unknown field "k008"; unknown field "k009"; unknown field "k010"; unknown field "k011"; unknown field "k012"; unknown field "k013"; unknown field "k014"; unknown field "k015"; unknown field "k016"; unknown field "k017"; unknown field "k018"; unknown field "k019"; unknown field "k020"; unknown field "k021"; unknown field "k022"; unknown field "k023"; unknown field "k024"; unknown field "k025"; unknown field "k026"; unknown field "k027"; unknown field "k028"; unknown field "k029"; unknown field "k030"; unknown field "k031"; unknown field "k032"; unknown field "k033"; unknown field "k034"; unknown field "k035"; unknown field "k036"; unknown field "k037"; unknown field "k038"; unknown field "k039"; unknown field "k040"; unknown field "k041"; unknown field "k042"; unknown field "k043"; unknown field "k044"; unknown field "k045"; unknown field "k046"; unknown field "k047"; unknown field "k048"; unknown field "k049"; and 70 more',
          }),
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
      'read-long-env-is-cut': as('regions/reader')
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
        ci
          .change('${flag}', { cohorts: ['b', 'a'] })
          .exactly(200, { changed: true, flag: flat({ cohorts: ['b', 'a'] }) }),
        ci
          .change('${flag}', { cohorts: ['b', 'a', 'a'] })
          .exactly(200, { changed: true, flag: flat({ cohorts: ['b', 'a', 'a'] }) }),
        ci
          .change('${flag}', { cohorts: ['b', 'a', 'a'] })
          .exactly(200, { changed: false, flag: flat({ cohorts: ['b', 'a', 'a'] }) }),
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
