import type { Topic } from '../conformance-case.ts';
import { anyone, as, ci, evaluate, make, platformCi, platformReader, reader, stagingCi } from '../steps.ts';

export const typicalUses: Topic = {
  'service.md: What the service does': {
    'switches a flag off when a smoke test fails': {
      'use-smoke-test': [
        make('flag', { enabled: true, trafficPercentage: 100 }),
        ci.change('${flag}', { enabled: false }).is(200, { changed: true }),
        evaluate('${flag}').is(200, { enabled: false }),
        ci.change('${flag}', { enabled: false }).is(200, { changed: false }),
      ],
    },
    'reads a flag to decide whether to run a step (read token suffices)': {
      'use-read-to-decide': [
        reader.list('?name=on').is(200).keep({ found: 'body.flags.0.id' }),
        reader.read('${found}').is(200, { enabled: true }),
      ],
    },
    "keeps a flag's cohort list in line with a file": {
      'use-cohort-list-of-a-file': [
        make('flag'),
        ci.change('${flag}', { cohorts: ['a', 'b', 'c'] }).is(200, { changed: true }),
        ci.change('${flag}', { cohorts: ['a', 'b', 'c'] }).is(200, { changed: false }),
        ci
          .change('${flag}', { cohorts: ['a', 'c'] })
          .is(200, { changed: true, flag: { cohorts: ['a', 'c'] } }),
      ],
    },
  },
  'service.md: Flag representation': {
    'Only per-environment overrides can be written, and reads show the effective list.': {
      'list-written-only-per-environment': [
        platformCi.create({ name: 'x', cohorts: ['wide'] }).invalid('cohorts', 'environments'),
        platformCi.change('${flag:platform/plain}', { cohorts: ['wide'] }).invalid('env'),
      ],
    },
  },
  'decisions.md: Names and ids': {
    '`<secret>` is 43 characters of `0-9A-Za-z` (256 random bits) and 6 of a CRC32': {
      'secret-form': anyone
        .token({ authorization: 'Bearer burgee_${token:shop/ci|bare}x' })
        .fails(401, 'Malformed bearer token'),
    },
    'Flag ids are the only key to a flag on the Evaluation API, so they are never sequential or derived from a name.':
      {
        'ids-not-derived-from-names': [
          make('a'),
          make('b'),
          evaluate('${case}').is(404),
          evaluate('${a}').is(200, { id: { $not: '${b}' } }),
        ],
      },
  },
  'service.md: Errors': {
    "read token on a write route; environment outside the token's list; create body for a disallowed environment":
      {
        'token-refusals-of-three-kinds': [
          platformReader
            .change('${flag:platform/plain}?env=staging', { enabled: true })
            .fails(403, 'Insufficient permission'),
          stagingCi
            .change('${flag:platform/plain}?env=production', { enabled: true })
            .fails(403, 'Environment not permitted'),
          stagingCi.create({ name: 'x', environments: { constructor: {} } }).fails(403, 'Forbidden'),
        ],
      },
  },
  'service.md: Token description': {
    'stored by environment name, so renaming an environment does not update tokens limited to the old name, and their requests for that environment are refused until replaced':
      {
        'renamed-environment-refused': [
          as('platform/ghost-ci')
            .read('${flag:platform/plain}?env=staging')
            .fails(403, 'Environment not permitted', 'gone'),
          as('platform/ghost-ci').read('${flag:platform/plain}?env=gone').invalid('gone', 'production'),
        ],
      },
  },
};
