import type { Topic } from '../conformance-case.ts';
import {
  anyBoolean,
  anyText,
  as,
  make,
  platformCi,
  platformReader,
  stagingCi,
  stagingReader,
} from '../steps.ts';

export const environments: Topic = {
  'service.md: Errors': {
    "environment 403 names the disallowed environment and lists the token's allowed ones": {
      'environment-not-permitted-patch': stagingCi
        .change('${flag:platform/plain}?env=production', { enabled: false })
        .exactly(403, {
          error: 'Environment not permitted',
          detail: { $all: [{ $contains: 'production' }, { $contains: 'staging' }] },
          docs: anyText,
        }),
    },
    'create body for a disallowed environment': {
      'environment-forbidden-create-beside-a-permitted-one': [
        stagingCi
          .create({ name: '${case}', environments: { staging: {}, production: {} } })
          .fails(403, 'Forbidden'),
        platformReader.list('?name=${case}').exactly(200, { flags: [] }),
      ],
      'environment-permitted-create': [
        stagingCi
          .create({ name: '${case}', environments: { staging: { enabled: true } } })
          .is(201, { environments: { staging: { enabled: true }, production: { enabled: false } } }),
        stagingCi.create({ name: '${case}' }).is(201),
        as('platform/ghost-ci').create({ name: '${case}', environments: {} }).is(201),
        as('platform/proto-ci')
          .create({ name: '${case}', environments: { ['__proto__']: { enabled: true } } })
          .is(201, { environments: { ['__proto__']: { enabled: true } } }),
      ],
    },
  },
  'service.md: Authentication: Management API': {
    'A request for an environment outside the list is refused with 403.': {
      'environment-not-permitted-read': stagingReader
        .read('${flag:platform/plain}?env=production')
        .fails(403, 'Environment not permitted', 'production', 'staging'),
    },
    'Environment limit: a token may be limited to named environments, or to all (default in the console, including future environments).':
      {
        'environment-permitted': [
          make('flag', {}, platformCi),
          stagingCi
            .change('${flag}?env=staging', { enabled: true })
            .is(200, { changed: true, flag: { environment: 'staging' } }),
          stagingReader.read('${flag}?env=staging').is(200, { enabled: true }),
          stagingReader
            .list('?env=staging&name=${case}')
            .is(200, { flags: [{ enabled: true, environment: 'staging' }] }),
          as('platform/both-ci')
            .change('${flag}?env=production', { enabled: true })
            .is(200, { changed: true }),
        ],
        'environment-limit-to-one-that-does-not-exist-yet': [
          as('fresh/limited-ci')
            .token()
            .is(200, { environments: ['later'] }),
          as('fresh/limited-ci')
            .read('${flag:fresh/seed}?env=other')
            .fails(403, 'Environment not permitted', 'later'),
        ],
      },
  },
  'decisions.md: Management API: the rest': {
    '`GET /api/v1/flags?env=NAME` is accepted: group flags come back flat for that environment, with the same 400 and 403 as the single-flag route.':
      {
        'environment-not-permitted-list': stagingReader
          .list('?env=production')
          .fails(403, 'Environment not permitted', 'production', 'staging'),
      },
  },
  'decisions.md: Management API: the order of checks': {
    "Token's environment limit: 403 `Environment not permitted` for an `env` outside the list, whether or not it exists":
      {
        'environment-not-permitted-though-unknown': [
          stagingReader
            .read('${flag:platform/plain}?env=mars')
            .fails(403, 'Environment not permitted', 'mars', 'staging'),
          stagingCi.change('${flag:platform/plain}?env=mars', { enabled: true }).is(403),
          stagingReader.list('?env=mars').is(403),
        ],
        'environment-not-permitted-when-empty': stagingReader
          .read('${flag:platform/plain}?env=')
          .fails(403, 'Environment not permitted', 'staging'),
        'environment-names-are-exact': [
          stagingReader.read('${flag:platform/plain}?env=Staging').is(403),
          stagingReader.read('${flag:platform/plain}?env=%73taging').is(200, { environment: 'staging' }),
        ],
        'environment-limit-to-proto': [
          make('flag', {}, platformCi),
          as('platform/proto-ci')
            .change('${flag}?env=__proto__', { enabled: true })
            .is(200, { changed: true, flag: { environment: '__proto__' } }),
          as('platform/proto-ci').change('${flag}?env=constructor', { enabled: true }).is(403),
          stagingCi.change('${flag}?env=toString', { enabled: true }).is(403),
        ],
      },
    '403 `Forbidden` for a create whose body names an environment outside the list.': {
      'environment-forbidden-create-though-unknown': [
        stagingCi.create({ name: 'x', environments: { mars: {} } }).fails(403, 'Forbidden'),
        as('platform/ghost-ci')
          .create({ name: 'x', environments: { staging: {} } })
          .fails(403, 'Forbidden'),
        stagingCi.create({ name: 'x', environments: { ['__proto__']: {} } }).fails(403, 'Forbidden'),
      ],
    },
  },
  'service.md: GET /api/v1/flags': {
    'An environment-restricted token still lists every flag; the restriction applies to writes and to reads that name an environment.':
      {
        'environment-limit-leaves-lists-alone': [
          as('regions/eu-reader')
            .list()
            .is(200, {
              flags: {
                $length: 3,
                $every: { environments: { eu: { enabled: anyBoolean }, us: { enabled: anyBoolean } } },
              },
            }),
          as('regions/eu-reader')
            .read('${flag:regions/beta}')
            .is(200, { environments: { us: { enabled: false } } }),
        ],
      },
  },
  'service.md: POST /api/v1/flags': {
    'A create body that sets state for an environment the token may not change: 403 (title `Forbidden`).': {
      'environment-forbidden-create': stagingCi
        .create({ name: '${case}', environments: { production: { enabled: true } } })
        .exactly(403, { error: 'Forbidden', detail: { $contains: 'production' }, docs: anyText }),
    },
  },
};
