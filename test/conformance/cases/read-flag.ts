import type { Topic } from '../conformance-case.ts';
import {
  absent,
  anyText,
  as,
  ci,
  eachText,
  evaluate,
  flat,
  platformReader,
  reader,
  regionsReader,
} from '../steps.ts';

export const readFlag: Topic = {
  'service.md: GET /api/v1/flags/{id}': {
    'Returns 200 with the flag representation.': {
      'read-single': reader
        .read('${flag:shop/half}')
        .exactly(200, flat({ id: '${flag:shop/half}', name: 'half', enabled: true, trafficPercentage: 50 })),
      'read-after-create': [
        ci.create({ name: '${case}', enabled: true }).is(201).keep({ flag: 'body.id', at: 'body.updatedAt' }),
        reader.read('${flag}').is(200, { enabled: true, updatedAt: '${at}' }),
      ],
    },
    'Without it, a group flag is returned in environments form.': {
      'read-group-without-env': regionsReader.read('${flag:regions/beta}').is(200, {
        environments: { eu: { enabled: true } },
        enabled: absent,
        trafficPercentage: absent,
        cohorts: absent,
        audienceId: absent,
        environment: absent,
      }),
    },
    'for a group flag, returns that environment as a flat flag': {
      'read-group-with-env': regionsReader
        .read('${flag:regions/beta}?env=us')
        .exactly(
          200,
          flat({ id: '${flag:regions/beta}', name: 'beta', cohorts: ['everywhere'], environment: 'us' }),
        ),
    },
    '`env` on a single-environment project: 400 telling the caller to drop the parameter.': {
      'read-single-with-env': reader.read('${flag:shop/on}?env=production').invalid('env'),
    },
    'Unknown environment: 400 listing the valid ones.': {
      'read-unknown-env': [
        platformReader
          .read('${flag:platform/plain}?env=mars')
          .invalid('mars', 'production', 'staging', 'constructor', '__proto__'),
        regionsReader.read('${flag:regions/beta}?env=EU').invalid('eu', 'us'),
        regionsReader.read('${flag:regions/beta}?env=constructor').invalid('eu', 'us'),
        regionsReader.read('${flag:regions/beta}?env=__proto__').is(400),
      ],
      'read-unknown-env-of-a-project-without-any': as('fresh/ci')
        .read('${flag:fresh/seed}?env=eu')
        .invalid('eu'),
    },
    'Unknown flag id, or a flag of another project: 404, identical in both cases.': {
      'read-another-projects-flag': [
        reader.read('A'.repeat(20)).is(404).keep({ unknown: 'text' }),
        reader.read('${flag:warehouse/crate}').text(404, '${unknown}'),
        reader.read('${flag:diary/private}').text(404, '${unknown}'),
        as('warehouse/ci').read('${flag:shop/on}').text(404, '${unknown}'),
      ],
    },
  },
  'service.md: Errors': {
    'the 404 for a flag says no flag with that id exists in this project': {
      'read-unknown': [
        reader.read('A'.repeat(20)).exactly(404, {
          error: 'Not found',
          detail: { $contains: 'no flag with that id exists in this project' },
          docs: anyText,
        }),
        ...eachText(['x', 'on', '%00', 'a%2Fb', '__proto__'], (path) => reader.read(path).is(404)),
      ],
    },
  },
  'decisions.md: Management API: the order of checks': {
    "Flag look-up: 404 `Not found`, the same bytes for an unknown flag and another project's flag.": {
      'patch-another-projects-flag': [
        ci.change('A'.repeat(20), { enabled: true }).is(404).keep({ unknown: 'text' }),
        ci.change('${flag:warehouse/crate}', { enabled: false }).text(404, '${unknown}'),
        evaluate('${flag:warehouse/crate}').is(200, { enabled: true }),
      ],
    },
  },
  'decisions.md: Management API: the rest': {
    "Decoding is the Evaluation API's": {
      'read-encoded-id': reader.read('${flag:shop/on|escaped}').is(200, { name: 'on' }),
    },
  },
  'decisions.md: Evaluation API': {
    'A malformed escape or invalid UTF-8 in any parameter is a 400 whose body explains the fix.': {
      'read-malformed-id': [
        reader.read('%zz').is({ $oneOf: [400, 404] }),
        evaluate('%zz').is({ $oneOf: [400, 404] }),
      ],
    },
  },
};
