import type { Topic } from '../conformance-case.ts';
import {
  as,
  catalogueReader,
  eachText,
  flat,
  grouped,
  make,
  platformCi,
  reader,
  regionsReader,
  state,
} from '../steps.ts';

export const listFlags: Topic = {
  'service.md: GET /api/v1/flags': {
    "Returns 200 with `{flags: [...]}`, every flag in the token's project. A group flag appears in environments form.":
      {
        'list-all': regionsReader.list().exactly(200, {
          flags: [
            grouped('${flag:regions/alpha}', 'alpha', {
              eu: state({ enabled: true, cohorts: ['testers'] }),
              us: state({ enabled: true, trafficPercentage: 100 }),
            }),
            grouped('${flag:regions/beta}', 'beta', {
              eu: state({ enabled: true, trafficPercentage: 100, cohorts: ['everywhere'] }),
              us: state({ cohorts: ['everywhere'] }),
            }),
            grouped('${flag:regions/gamma}', 'gamma', { eu: state(), us: state() }),
          ],
        }),
      },
    '`name` (string, optional): exact-match filter on flag name; used to find a flag id from its name.': {
      'list-by-name': catalogueReader
        .list('?name=apple')
        .is(200, { flags: [{ id: '${flag:catalogue/apple}', name: 'apple' }] }),
      'list-by-name-of-a-group-flag': regionsReader
        .list('?name=beta')
        .is(200, { flags: [{ id: '${flag:regions/beta}', environments: { eu: { enabled: true } } }] }),
    },
    "every flag in the token's project": {
      'list-other-projects-not-shown': [
        reader.list('?name=crate').exactly(200, { flags: [] }),
        as('warehouse/ci')
          .list()
          .is(200, { flags: [{ id: '${flag:warehouse/crate}' }] }),
      ],
    },
  },
  'service.md: Flag list response': {
    '`{flags: array of flag representation}`. Always an object; `flags` is `[]` when nothing matches, never null.':
      {
        'list-single': catalogueReader.list().exactly(200, {
          flags: [
            flat({ id: '${flag:catalogue/apple}', name: 'apple', enabled: true, trafficPercentage: 100 }),
            flat({ id: '${flag:catalogue/banana}', name: 'banana', trafficPercentage: 100 }),
            flat({
              id: '${flag:catalogue/cherry}',
              name: 'cherry',
              enabled: true,
              cohorts: ['fruit fans'],
            }),
            flat({ id: '${flag:catalogue/date}', name: 'date', enabled: true, trafficPercentage: 50 }),
            flat({
              id: '${flag:catalogue/elder}',
              name: 'elder',
              enabled: true,
              trafficPercentage: 100,
              audienceId: '${audience:catalogue/Pro}',
            }),
          ],
        }),
      },
    'Always an object; `flags` is `[]` when nothing matches, never null.': {
      'list-empty': [
        as('blank/reader').list().exactly(200, { flags: [] }),
        reader.list('?name=nothing').exactly(200, { flags: [] }),
      ],
    },
  },
  'decisions.md: Management API: the rest': {
    '`name` is compared after decoding, exactly, case-sensitively.': {
      'list-by-name-exactly': [
        catalogueReader.list('?name=Apple').exactly(200, { flags: [] }),
        catalogueReader.list('?name=appl').exactly(200, { flags: [] }),
        ...eachText(['?name=apple%20', '?name=%20apple', '?name=apples', '?name=app*', '?name='], (query) =>
          catalogueReader.list(query).exactly(200, { flags: [] }),
        ),
      ],
      'list-by-encoded-name': [
        make('flag', { name: 'Zoë & co + 50%' }),
        reader.list('?name=Zo%C3%AB%20%26%20co%20%2B%2050%25').is(200, { flags: [{ id: '${flag}' }] }),
        catalogueReader.list('?n%61me=%61pple').is(200, { flags: [{ name: 'apple' }] }),
      ],
      'list-by-name-called-proto': [
        make('flag', { name: '__proto__' }),
        reader.list('?name=__proto__').is(200, { flags: [{ id: '${flag}', name: '__proto__' }] }),
      ],
    },
    'Flags are listed by name, then id.': {
      'list-order': [
        make('b', { name: 'order b' }),
        make('a', { name: 'order a' }),
        make('a2', { name: 'order a' }),
        make('z', { name: 'order Z' }),
        make('e', { name: 'order é' }),
        reader.list().is(200, { flags: { $sorted: 'name,id' } }),
      ],
    },
    '`GET /api/v1/flags?env=NAME` is accepted: group flags come back flat for that environment, with the same 400 and 403 as the single-flag route.':
      {
        'list-with-env': regionsReader.list('?env=eu').exactly(200, {
          flags: [
            flat({
              id: '${flag:regions/alpha}',
              name: 'alpha',
              enabled: true,
              cohorts: ['testers'],
              environment: 'eu',
            }),
            flat({
              id: '${flag:regions/beta}',
              name: 'beta',
              enabled: true,
              trafficPercentage: 100,
              cohorts: ['everywhere'],
              environment: 'eu',
            }),
            flat({ id: '${flag:regions/gamma}', name: 'gamma', environment: 'eu' }),
          ],
        }),
        'list-with-env-and-name': regionsReader.list('?name=beta&env=us').exactly(200, {
          flags: [
            flat({ id: '${flag:regions/beta}', name: 'beta', cohorts: ['everywhere'], environment: 'us' }),
          ],
        }),
        'list-with-unknown-env': regionsReader.list('?env=mars').invalid('mars', 'eu', 'us'),
        'list-with-env-in-a-single-environment-project': catalogueReader.list('?env=eu').invalid('env'),
        'list-with-env-in-a-project-without-any': as('fresh/ci').list('?env=eu').invalid('eu'),
      },
    '`env=` is an unknown environment.': {
      'list-with-empty-env': [
        regionsReader.list('?env=').invalid('eu', 'us'),
        regionsReader.read('${flag:regions/beta}?env=').invalid('eu', 'us'),
      ],
    },
    'Repeated query parameters: `env` and `name` given twice is a 400.': {
      'list-name-twice': [
        reader.list('?name=a&name=a').invalid('name'),
        reader.list('?name=a&n%61me=b').is(400),
      ],
      'list-env-twice': [
        regionsReader.list('?env=eu&env=eu').invalid('env'),
        regionsReader.read('${flag:regions/beta}?env=eu&env=us').invalid('env'),
        platformCi
          .change('${flag:platform/plain}?env=staging&env=staging', { enabled: false })
          .invalid('env'),
      ],
    },
    'a raw `+` in `name` or `env` is a 400 (it would silently match nothing)': {
      'list-raw-plus': [
        reader.list('?name=a+b').invalid('name'),
        regionsReader.list('?env=a+b').invalid('env'),
        regionsReader.read('${flag:regions/beta}?env=e+u').invalid('env'),
      ],
    },
    "Decoding is the Evaluation API's": {
      'list-undecodable': [
        ...eachText(
          ['?name=%zz', '?name=%', '?name=%FF', '?env=%C3%28', '?other=%zz', '?name=Zoë'],
          (query) => reader.list(query).invalid(),
        ),
      ],
    },
    'Unknown query parameters are ignored.': {
      'list-unknown-parameters': [
        catalogueReader.list('?name=apple&page=2&limit=0&a=b&a=c').is(200, { flags: [{ name: 'apple' }] }),
        catalogueReader.read('${flag:catalogue/apple}?cohort=a+b&x').is(200, { name: 'apple' }),
      ],
    },
  },
  'decisions.md: Names and ids': {
    'not unique (the list filter may return several)': {
      'list-several-flags-with-one-name': [
        make('a'),
        make('b'),
        // The flag that had the name first comes first.
        reader.list('?name=${case}').is(200, { flags: [{ id: '${a}' }, { id: '${b}' }] }),
      ],
    },
  },
  'decisions.md: Management API: the order of checks': {
    'Query and body problems, all of them in one 400 `Invalid request`, joined by `; `': {
      'list-two-query-problems': regionsReader.list('?name=a+b&env=mars').invalid('name', 'mars', '; '),
    },
  },
};
