import type { Topic } from '../conformance-case.ts';
import { anyone, anyText, eachText, evaluate } from '../steps.ts';

export const evaluationQuery: Topic = {
  'service.md: Evaluation API': {
    'passed to the flag as an attribute for audience matching; `targetingKey`, `cohort` and `env` are never attributes':
      {
        'attribute-parameters-are-free': evaluate('${flag:shop/on}?a=b&c=d&a=e&=x&y&&z=').is(200, {
          enabled: true,
        }),
      },
    'stable id used for sticky percentage bucketing': {
      'long-targeting-key': [
        evaluate(`\${flag:shop/on}?targetingKey=${'k'.repeat(3000)}`).is(200, { enabled: true }),
        evaluate(`\${flag:shop/nobody}?targetingKey=${'k'.repeat(3000)}`).is(200, { enabled: false }),
      ],
    },
  },
  'decisions.md: Evaluation API': {
    '`env` on a single-environment flag is ignored (it is not an attribute).': {
      'env-ignored-on-a-single-environment-flag': [
        evaluate('${flag:shop/on}?env=production').is(200, { enabled: true }),
        evaluate('${flag:shop/off}?env=nowhere').is(200, { enabled: false }),
        evaluate('${flag:shop/on}?env=').is(200, { enabled: true }),
      ],
    },
    'percent-decoding as UTF-8': {
      'env-encoded': [
        evaluate('${flag:regions/beta}?env=%65%75').is(200, { enabled: true }),
        evaluate('${flag:regions/beta}?%65nv=eu').is(200, { enabled: true }),
      ],
    },
    'A raw `+` in `cohort` is a 400 too (encode a plus as `%2B`, a space as `%20`)': {
      'cohort-raw-plus-for-a-space': [
        evaluate('${flag:shop/on}?cohort=user+1').invalid('%2B', '%20'),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=user+1').invalid('%2B', '%20'),
      ],
    },
    'A malformed escape or invalid UTF-8 in any parameter is a 400 whose body explains the fix.': {
      'cohort-invalid-utf8': [
        evaluate('${flag:shop/on}?cohort=%FF').invalid('cohort'),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=%FF').invalid('cohort'),
      ],
      'cohort-overlong-utf8': [
        evaluate('${flag:shop/on}?cohort=%C0%AF').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=%C0%AF').is(400, { detail: anyText }),
      ],
      'cohort-cut-utf8': [
        evaluate('${flag:shop/on}?cohort=%E6%97').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=%E6%97').is(400, { detail: anyText }),
      ],
      'cohort-encoded-surrogate': [
        evaluate('${flag:shop/on}?cohort=%ED%A0%80').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=%ED%A0%80').is(400, { detail: anyText }),
      ],
      'cohort-beyond-unicode': [
        evaluate('${flag:shop/on}?cohort=%F4%90%80%80').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=%F4%90%80%80').is(400, { detail: anyText }),
      ],
      'targeting-key-malformed-escape': [
        evaluate('${flag:shop/on}?targetingKey=%').invalid('targetingKey'),
        anyone.get('/v1/flags/project/${project:catalogue}?targetingKey=%').invalid('targetingKey'),
      ],
      'targeting-key-invalid-utf8': [
        evaluate('${flag:shop/on}?targetingKey=%C3%28').invalid('targetingKey'),
        anyone.get('/v1/flags/project/${project:catalogue}?targetingKey=%C3%28').invalid('targetingKey'),
      ],
      'env-malformed-escape': [
        evaluate('${flag:shop/on}?env=%G0').invalid('env'),
        anyone.get('/v1/flags/project/${project:catalogue}?env=%G0').invalid('env'),
      ],
      'attribute-malformed-escape': [
        evaluate('${flag:shop/on}?plan=%q').invalid('plan'),
        anyone.get('/v1/flags/project/${project:catalogue}?plan=%q').invalid('plan'),
      ],
      'attribute-invalid-utf8': [
        evaluate('${flag:shop/on}?plan=%80').invalid('plan'),
        anyone.get('/v1/flags/project/${project:catalogue}?plan=%80').invalid('plan'),
      ],
      'attribute-name-malformed-escape': [
        evaluate('${flag:shop/on}?pl%an=x').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?pl%an=x').is(400, { detail: anyText }),
      ],
      'attribute-name-invalid-utf8': [
        evaluate('${flag:shop/on}?%FF=x').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?%FF=x').is(400, { detail: anyText }),
      ],
    },
    'A raw character above U+007E in a path or query is a 400 (percent-encode it).': {
      'raw-character-in-the-cohort': [
        evaluate('${flag:shop/on}?cohort=Zoë').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=Zoë').is(400, { detail: anyText }),
      ],
      'raw-character-in-an-attribute': [
        evaluate('${flag:shop/on}?städt=x').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?städt=x').is(400, { detail: anyText }),
      ],
      'raw-astral-character': [
        evaluate('${flag:shop/on}?targetingKey=😀').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?targetingKey=😀').is(400, { detail: anyText }),
      ],
      'raw-character-in-the-path': [
        ...eachText(['${flag:shop/on}é', 'é'], (path) => evaluate(path).is(400)),
        anyone.get('/v1/flags/project/é').is(400),
      ],
    },
    'A repeated `targetingKey`, `cohort` or `env` is a 400.': {
      'repeated-targetingkey': [
        evaluate('${flag:shop/on}?targetingKey=a&targetingKey=a').invalid('targetingKey'),
        anyone
          .get('/v1/flags/project/${project:catalogue}?targetingKey=a&targetingKey=a')
          .invalid('targetingKey'),
      ],
      'repeated-cohort': [
        evaluate('${flag:shop/on}?cohort=a&cohort=a').invalid('cohort'),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=a&cohort=a').invalid('cohort'),
      ],
      'repeated-env': [
        evaluate('${flag:shop/on}?env=a&env=a').invalid('env'),
        anyone.get('/v1/flags/project/${project:catalogue}?env=a&env=a').invalid('env'),
      ],
      'repeated-though-empty': [
        evaluate('${flag:shop/on}?cohort=&cohort=a').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=&cohort=a').is(400, { detail: anyText }),
      ],
      'repeated-under-an-encoded-name': [
        evaluate('${flag:shop/on}?env=eu&%65nv=us').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?env=eu&%65nv=us').is(400, { detail: anyText }),
      ],
    },
    'Elsewhere `+` is a plus.': {
      'plus-outside-the-cohort': [
        evaluate('${flag:shop/on}?targetingKey=a+b&plan=a+b&env=a+b').is(200, { enabled: true }),
        evaluate('${flag:regions/beta}?env=e+u').is(404),
      ],
    },
    'An empty `targetingKey=` or `cohort=` counts as absent.': {
      'cohort-name-only': [
        evaluate('${flag:shop/on}?cohort').is(200, { enabled: true }),
        evaluate('${flag:shop/nobody}?cohort&targetingKey').is(200, { enabled: false }),
      ],
    },
  },
  'decisions.md: Names and ids': {
    'Environment names: 1 to 64 characters of `a-z 0-9 - _ .`, unique in a project, case-sensitive.': {
      'env-called-constructor': [
        evaluate('${flag:platform/checkout}?env=constructor').is(200, { enabled: true }),
        evaluate('${flag:platform/plain}?env=constructor').is(200, { enabled: false }),
      ],
      'env-called-proto': [
        evaluate('${flag:platform/checkout}?env=__proto__').is(200, { enabled: false }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=flag-wide').is(200, { enabled: true }),
      ],
    },
  },
  'service.md: Errors': {
    'the `cohort` query string cannot be decoded, usually from unencoded special characters such as `+`; the body explains the fix; applies to the single-flag route and the project route':
      {
        'cohort-malformed-escape': [
          evaluate('${flag:shop/on}?cohort=%zz').invalid('cohort'),
          anyone.get('/v1/flags/project/${project:catalogue}?cohort=%zz').invalid('cohort'),
        ],
        'cohort-lone-percent': [
          evaluate('${flag:shop/on}?cohort=100%').invalid('cohort'),
          anyone.get('/v1/flags/project/${project:catalogue}?cohort=100%').invalid('cohort'),
        ],
        'cohort-cut-escape': [
          evaluate('${flag:shop/on}?cohort=%4').invalid('cohort'),
          anyone.get('/v1/flags/project/${project:catalogue}?cohort=%4').invalid('cohort'),
        ],
        'cohort-raw-plus': [
          evaluate('${flag:shop/on}?cohort=a+b').invalid('cohort', '%2B'),
          anyone.get('/v1/flags/project/${project:catalogue}?cohort=a+b').invalid('cohort', '%2B'),
        ],
      },
  },
  'service.md: Versioning': {
    'An undecodable `cohort` on the project route returns 400 (previously 200 with an empty list).': {
      'project-route-since-eval-1-1-0': [
        evaluate('${flag:shop/on}?cohort=%E0%A4%A').is(400, { detail: anyText }),
        anyone.get('/v1/flags/project/${project:catalogue}?cohort=%E0%A4%A').is(400, { detail: anyText }),
      ],
    },
  },
};
