import type { Topic } from '../conformance-case.ts';
import {
  anyone,
  ci,
  decision,
  each,
  evaluate,
  inDomain,
  make,
  numbered,
  ofFifty,
  rollout,
  rule,
  tally,
} from '../steps.ts';

export const evaluationRules: Topic = {
  'decisions.md: Evaluation API': {
    'Order of rules: flag off → false. Cohort listed → true. Audience attached and not matched → false. Then the percentage: 100 → true, 0 → false, otherwise the bucket of the key.':
      {
        'off-at-0': rule('targetingKey=user-1', 'flag off', { enabled: false }),
        'off-at-50': rule('targetingKey=user-1', 'flag off', { enabled: false, percentage: 50 }),
        'off-at-100': rule('targetingKey=user-1', 'flag off', { enabled: false, percentage: 100 }),
        'off-without-a-key': rule('', 'flag off', { enabled: false, percentage: 100 }),
        'off-though-cohort-is-listed': rule('cohort=beta-testers', 'flag off', {
          enabled: false,
          percentage: 100,
          cohorts: ['beta-testers'],
        }),
        'unlisted-cohort-at-0': rule('cohort=someone', 'nobody', { cohorts: ['beta-testers'] }),
        'unlisted-cohort-at-100': rule('cohort=someone', 'everyone', {
          percentage: 100,
          cohorts: ['beta-testers'],
        }),
      },
    'flag off → false': {
      'off-though-audience-matches': rule('plan=pro', 'flag off', {
        enabled: false,
        percentage: 100,
        audience: 'Pro',
      }),
    },
    'Cohort listed → true. Audience attached and not matched → false.': {
      'listed-cohort-before-the-audience': rule('cohort=vip&plan=free', 'cohort listed', {
        cohorts: ['vip'],
        audience: 'Pro',
      }),
      'listed-cohort-without-attributes': rule('cohort=vip', 'cohort listed', {
        percentage: 100,
        cohorts: ['vip'],
        audience: 'Pro',
      }),
    },
    'encode a plus as `%2B`, a space as `%20`': {
      'cohort-encoded-plus': rule('cohort=a%2Bb', 'cohort listed', { cohorts: ['a+b'] }),
    },
    'percent-decoding as UTF-8': {
      'cohort-unicode': rule('cohort=Zo%C3%AB', 'cohort listed', { cohorts: ['Zoë'] }),
      'cohort-lower-case-escapes': rule('cohort=Zo%c3%ab', 'cohort listed', { cohorts: ['Zoë'] }),
      'cohort-astral': rule('cohort=%F0%9F%98%80', 'cohort listed', { cohorts: ['😀'] }),
      'cohort-needlessly-encoded': rule('cohort=%62eta', 'cohort listed', { cohorts: ['beta'] }),
      'cohort-decoded-once': rule('cohort=a%2525b', 'nobody', { cohorts: ['a%b'] }),
    },
    'Then the percentage: 100 → true, 0 → false, otherwise the bucket of the key.': {
      'audience-matched-at-0': rule('plan=pro', 'nobody', { audience: 'Pro' }),
    },
    'Audience attached and not matched → false.': {
      'audience-not-matched-at-0': rule('plan=free&targetingKey=user-1', 'audience not matched', {
        audience: 'Pro',
      }),
      'audience-not-matched-at-50': rule('plan=free&targetingKey=user-1', 'audience not matched', {
        percentage: 50,
        audience: 'Pro',
      }),
      'audience-not-matched-at-100': rule('plan=free&targetingKey=user-1', 'audience not matched', {
        percentage: 100,
        audience: 'Pro',
      }),
      'audience-attribute-absent': rule('targetingKey=user-1', 'audience not matched', {
        percentage: 100,
        audience: 'Pro',
      }),
      'audience-unlisted-cohort': rule('cohort=someone', 'audience not matched', {
        percentage: 100,
        cohorts: ['vip'],
        audience: 'Pro',
      }),
    },
    'it matches when every rule matches': {
      'audience-every-rule': rule('plan=pro&region=eu', 'everyone', {
        percentage: 100,
        audience: 'Pro in Europe',
      }),
      'audience-first-rule-only': rule('plan=pro&region=us', 'audience not matched', {
        percentage: 100,
        audience: 'Pro in Europe',
      }),
      'audience-second-rule-only': rule('plan=free&region=eu', 'audience not matched', {
        percentage: 100,
        audience: 'Pro in Europe',
      }),
      'audience-forty-nine-of-fifty': rule(ofFifty(49), 'audience not matched', {
        percentage: 100,
        audience: 'Fifty',
      }),
    },
    'An audience holds 1 to 50 rules `{attribute, values}`': {
      'audience-fifty-rules': rule(ofFifty(50), 'everyone', { percentage: 100, audience: 'Fifty' }),
    },
    "a rule matches when one of the request's values for that attribute is exactly one of its values (case-sensitive, no trimming)":
      {
        'audience-value-letter-case': rule('plan=Pro', 'audience not matched', {
          percentage: 100,
          audience: 'Pro',
        }),
        'audience-value-trailing-space': rule('plan=pro%20', 'audience not matched', {
          percentage: 100,
          audience: 'Pro',
        }),
        'audience-value-with-its-space': rule('plan=%20pro', 'everyone', {
          percentage: 100,
          audience: 'Spaced',
        }),
        'audience-value-without-its-space': rule('plan=pro', 'audience not matched', {
          percentage: 100,
          audience: 'Spaced',
        }),
        'audience-value-empty': rule('plan=', 'audience not matched', { percentage: 100, audience: 'Pro' }),
        'audience-value-unicode': rule('st%C3%A4dt=%E6%9D%B1%E4%BA%AC', 'everyone', {
          percentage: 100,
          audience: 'Zürich',
        }),
        'audience-attribute-letter-case': rule('Plan=pro', 'audience not matched', {
          percentage: 100,
          audience: 'Pro',
        }),
      },
    'A repeated parameter has several values.': {
      'audience-repeated-attribute-one-matches': rule('plan=free&plan=pro', 'everyone', {
        percentage: 100,
        audience: 'Pro',
      }),
      'audience-repeated-attribute-first-matches': rule('plan=pro&plan=free', 'everyone', {
        percentage: 100,
        audience: 'Pro',
      }),
      'audience-repeated-attribute-none-matches': rule('plan=free&plan=basic', 'audience not matched', {
        percentage: 100,
        audience: 'Pro',
      }),
    },
    '`targetingKey`, `cohort` and `env` are never attributes; neither is an attribute called by any of those names in an audience.':
      {
        'audience-targeting-key-is-no-attribute': rule('targetingKey=user-1', 'audience not matched', {
          percentage: 100,
          audience: 'Reserved',
        }),
        'audience-cohort-is-no-attribute': rule('cohort=user-1', 'audience not matched', {
          percentage: 100,
          audience: 'Reserved cohort',
        }),
        'audience-env-is-no-attribute': rule('env=eu', 'audience not matched', {
          percentage: 100,
          audience: 'Reserved env',
        }),
        'audience-encoded-reserved-name-is-no-attribute': rule('%65nv=eu', 'audience not matched', {
          percentage: 100,
          audience: 'Reserved env',
        }),
      },
    'Elsewhere `+` is a plus.': {
      'audience-attribute-plus-is-a-plus': rule('expression=a+b', 'everyone', {
        percentage: 100,
        audience: 'Plus',
      }),
      'audience-attribute-encoded-plus': rule('expression=a%2Bb', 'everyone', {
        percentage: 100,
        audience: 'Plus',
      }),
      'audience-attribute-plus-is-no-space': rule('plan=+pro', 'audience not matched', {
        percentage: 100,
        audience: 'Spaced',
      }),
      'bucket-of-a-plus-in-the-targeting-key': inDomain(
        decision('targetingKey=a+b', 'in the bucket', { percentage: 34 }),
        make('flag', { enabled: true, trafficPercentage: 34 }),
        ...numbered('', 10).flatMap((digit) => [
          evaluate(`\${flag}?targetingKey=a%2B${digit}`).is(200).keep({ enabled: 'body.enabled' }),
          evaluate(`\${flag}?targetingKey=a+${digit}`).is(200, { enabled: '${enabled}' }),
        ]),
      ),
    },
    '100 → true, 0 → false': {
      'hundred-without-a-key': rule('', 'everyone', { percentage: 100 }),
      'hundred-with-a-key': rule('targetingKey=user-1', 'everyone', { percentage: 100 }),
      'zero-without-a-key': rule('', 'nobody', {}),
      'zero-with-a-key': rule('targetingKey=user-1', 'nobody', {}),
    },
    'An empty `targetingKey=` or `cohort=` counts as absent.': {
      'roll-with-empty-keys': inDomain(
        decision('targetingKey=&cohort=', 'random roll', { percentage: 50 }),
        make('flag', { enabled: true, trafficPercentage: 50 }),
        tally(160, evaluate('${flag}?targetingKey=&cohort=')),
      ),
      'roll-of-an-empty-cohort-though-listed': inDomain(
        decision('cohort=', 'random roll', { percentage: 50, cohorts: ['beta-testers'] }),
        make('flag', { enabled: true, trafficPercentage: 50, cohorts: ['beta-testers'] }),
        tally(160, evaluate('${flag}?cohort=')),
      ),
      'bucket-of-the-cohort-when-the-targeting-key-is-empty': inDomain(
        decision('targetingKey=&cohort=bob@example.com', 'not in the bucket', { percentage: 19 }),
        make('flag', { enabled: true, trafficPercentage: 19 }),
        rollout(19, { parameter: 'cohort', query: 'targetingKey=' }),
      ),
    },
    'else a fresh random roll': {
      'roll-of-a-matched-audience': inDomain(
        decision('plan=pro', 'random roll', { percentage: 50, audience: 'Pro' }),
        make('flag', { enabled: true, trafficPercentage: 50, audienceId: '${audience:shop/Pro}' }),
        tally(160, evaluate('${flag}?plan=pro')),
      ),
    },
    'otherwise the bucket of the key': {
      'bucket-at-1': inDomain(
        decision('targetingKey=alice@example.com', 'not in the bucket', { percentage: 1 }),
        make('flag', { enabled: true, trafficPercentage: 1 }),
        rollout(1),
      ),
      'bucket-at-50': inDomain(
        decision('targetingKey=alice@example.com', 'in the bucket', { percentage: 50 }),
        make('flag', { enabled: true, trafficPercentage: 50 }),
        rollout(50),
      ),
      'bucket-at-99': inDomain(
        decision('targetingKey=alice@example.com', 'in the bucket', { percentage: 99 }),
        make('flag', { enabled: true, trafficPercentage: 99 }),
        rollout(99),
      ),
    },
    'Bucketing key: `targetingKey`, else `cohort`, else a fresh random roll.': {
      'bucket-of-the-targeting-key-before-the-cohort': inDomain(
        decision('cohort=alice@example.com&targetingKey=bob@example.com', 'in the bucket', {
          percentage: 20,
        }),
        make('flag', { enabled: true, trafficPercentage: 20 }),
        rollout(20, { query: 'cohort=someone' }),
      ),
    },
    'Raising a percentage only ever adds keys': {
      'bucket-only-grows': [
        make('flag', { enabled: true, trafficPercentage: 5 }),
        rollout(5),
        ci.change('${flag}', { trafficPercentage: 6 }).is(200),
        rollout(6),
        ci.change('${flag}', { trafficPercentage: 47 }).is(200),
        rollout(47),
        ci.change('${flag}', { trafficPercentage: 95 }).is(200),
        rollout(95),
      ],
    },
    "a key's bucket differs from flag to flag": {
      'bucket-differs-by-flag': [
        make('flag', { enabled: true, trafficPercentage: 50 }),
        make('other', { name: 'other', enabled: true, trafficPercentage: 50 }),
        rollout(50),
        rollout(50, { flag: '${other}' }),
      ],
    },
    'is the same in every environment of a flag, on every node, for ever': {
      'bucket-same-in-every-environment': [
        rollout(50, { flag: '${flag:platform/half}', query: 'env=production' }),
        rollout(50, { flag: '${flag:platform/half}', query: 'env=staging' }),
      ],
    },
    'published test vectors pin it': {
      'bucket-survives-a-switch-off': [
        make('flag', { enabled: true, trafficPercentage: 30 }),
        rollout(30, { keys: 40 }),
        ...each([{ enabled: false }, { enabled: true }], (body) => ci.change('${flag}', body).is(200)),
        rollout(30, { keys: 40 }),
      ],
    },
    'takes every parameter of the single-flag route': {
      'bucket-in-the-project-list': [
        anyone
          .get('/v1/flags/project/${project:catalogue}?targetingKey=user-7')
          .is(200)
          .keep({ date: 'body.3.enabled' }),
        evaluate('${flag:catalogue/date}?targetingKey=user-7').is(200, { enabled: '${date}' }),
        anyone
          .get('/v1/flags/project/${project:catalogue}?targetingKey=user-8')
          .is(200)
          .keep({ date: 'body.3.enabled' }),
        evaluate('${flag:catalogue/date}?targetingKey=user-8').is(200, { enabled: '${date}' }),
      ],
    },
  },
  'service.md: Flag representation': {
    '| enabled | boolean | master switch |': {
      'off-is-the-master-switch': rule('cohort=beta-testers&plan=pro', 'flag off', {
        enabled: false,
        percentage: 100,
        cohorts: ['beta-testers'],
        audience: 'Pro',
      }),
    },
    'audience applied; null means everyone': {
      'audience-null-means-everyone': rule('plan=free', 'everyone', { percentage: 100 }),
    },
    "the effective list: the environment's own override if it has one, otherwise the flag-wide list": {
      'wide-cohort-inherited': inDomain(
        decision('env=__proto__&cohort=flag-wide', 'cohort listed', {
          wideCohorts: ['flag-wide', 'also-wide'],
        }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=flag-wide').gives('checkout', true),
      ),
      'wide-cohort-second': inDomain(
        decision('cohort=also-wide&env=__proto__', 'cohort listed', {
          wideCohorts: ['flag-wide', 'also-wide'],
        }),
        evaluate('${flag:platform/checkout}?cohort=also-wide&env=__proto__').gives('checkout', true),
      ),
      'wide-cohort-not-listed': inDomain(
        decision('env=__proto__&cohort=own', 'nobody', { wideCohorts: ['flag-wide', 'also-wide'] }),
        evaluate('${flag:platform/checkout}?env=__proto__&cohort=own').gives('checkout', false),
      ),
      'override-replaces-the-wide-list': inDomain(
        decision('env=staging&cohort=flag-wide', 'audience not matched', {
          cohorts: ['own'],
          wideCohorts: ['flag-wide', 'also-wide'],
          audience: 'Pro',
        }),
        evaluate('${flag:platform/checkout}?env=staging&cohort=flag-wide').gives('checkout', false),
      ),
      'override-listed': inDomain(
        decision('env=staging&cohort=own', 'cohort listed', {
          cohorts: ['own'],
          wideCohorts: ['flag-wide', 'also-wide'],
          audience: 'Pro',
        }),
        evaluate('${flag:platform/checkout}?env=staging&cohort=own').gives('checkout', true),
      ),
      'override-is-of-one-environment': inDomain(
        decision('env=eu&cohort=testers', 'cohort listed', { cohorts: ['testers'] }),
        evaluate('${flag:regions/alpha}?env=eu&cohort=testers').gives('alpha', true),
      ),
    },
  },
  'service.md: Evaluation API': {
    "A request whose cohort matches the flag's cohorts evaluates to true regardless of the traffic percentage.":
      {
        'listed-cohort-at-0': rule('cohort=beta-testers', 'cohort listed', {
          cohorts: ['beta-testers', 'others'],
        }),
        'listed-cohort-at-1': rule('cohort=beta-testers', 'cohort listed', {
          percentage: 1,
          cohorts: ['beta-testers', 'others'],
        }),
        'listed-cohort-at-50': rule('cohort=beta-testers', 'cohort listed', {
          percentage: 50,
          cohorts: ['beta-testers', 'others'],
        }),
        'listed-cohort-at-99': rule('cohort=beta-testers', 'cohort listed', {
          percentage: 99,
          cohorts: ['beta-testers', 'others'],
        }),
        'listed-cohort-at-100': rule('cohort=beta-testers', 'cohort listed', {
          percentage: 100,
          cohorts: ['beta-testers', 'others'],
        }),
        'listed-cohort-last-of-the-list': rule('cohort=third', 'cohort listed', {
          cohorts: ['first', 'second', 'third'],
        }),
        'listed-cohort-beside-a-targeting-key': rule(
          'targetingKey=user-1&cohort=beta-testers',
          'cohort listed',
          { cohorts: ['beta-testers'] },
        ),
      },
    "identifier (for example a user id) checked against the flag's cohort list; must be URL-encoded": {
      'cohort-letter-case-matters': rule('cohort=Beta-Testers', 'nobody', { cohorts: ['beta-testers'] }),
      'cohort-is-not-trimmed': rule('cohort=%20beta-testers', 'nobody', { cohorts: ['beta-testers'] }),
      'cohort-no-prefix-match': rule('cohort=beta', 'nobody', { cohorts: ['beta-testers'] }),
      'cohort-no-longer-match': rule('cohort=beta-testers2', 'nobody', { cohorts: ['beta-testers'] }),
      'cohort-encoded-space': rule('cohort=user%201', 'cohort listed', { cohorts: ['user 1'] }),
      'cohort-encoded-delimiters': rule('cohort=a%26b%3Dc%23d%3F%2F%25', 'cohort listed', {
        cohorts: ['a&b=c#d?/%'],
      }),
      'cohort-unencoded-equals-sign': rule('cohort=a=b', 'cohort listed', { cohorts: ['a=b'] }),
      'cohort-called-proto': rule('cohort=__proto__', 'nobody', { cohorts: ['beta-testers'] }),
      'cohort-called-constructor': rule('cohort=constructor', 'nobody', { cohorts: ['beta-testers'] }),
      'cohort-proto-listed': rule('cohort=__proto__', 'cohort listed', { cohorts: ['__proto__'] }),
    },
    'A flag may apply a project audience (exact-match attribute rules) in addition to cohorts.': {
      'audience-matched-at-100': rule('plan=pro', 'everyone', { percentage: 100, audience: 'Pro' }),
      'audience-second-value': rule('plan=team', 'everyone', { percentage: 100, audience: 'Pro' }),
    },
    'passed to the flag as an attribute for audience matching; `targetingKey`, `cohort` and `env` are never attributes':
      {
        'audience-attribute-called-proto': rule('__proto__=x', 'everyone', {
          percentage: 100,
          audience: 'Prototype',
        }),
        'audience-attribute-called-proto-absent': rule('plan=x', 'audience not matched', {
          percentage: 100,
          audience: 'Prototype',
        }),
        'audience-attribute-called-constructor': rule('constructor=x', 'everyone', {
          percentage: 100,
          audience: 'Constructor',
        }),
        'audience-attribute-called-constructor-absent': rule('plan=x', 'audience not matched', {
          percentage: 100,
          audience: 'Constructor',
        }),
        'audience-encoded-attribute-name': rule('%70lan=pro', 'everyone', {
          percentage: 100,
          audience: 'Pro',
        }),
      },
    'A request with neither key is a fresh random roll each time.': {
      'roll-without-a-key': inDomain(
        decision('', 'random roll', { percentage: 50 }),
        make('flag', { enabled: true, trafficPercentage: 50 }),
        tally(160, evaluate('${flag}')),
      ),
    },
    'With a percentage below 100, a request carrying `targetingKey` gets the same answer on every request for that key.':
      {
        'bucket-is-sticky': inDomain(
          decision('targetingKey=alice@example.com', 'in the bucket', { percentage: 28 }),
          make('flag', { enabled: true, trafficPercentage: 28 }),
          rollout(28),
          rollout(28),
        ),
        'bucket-just-below': inDomain(
          decision('targetingKey=alice@example.com', 'not in the bucket', { percentage: 27 }),
          make('flag', { enabled: true, trafficPercentage: 27 }),
          rollout(27),
        ),
      },
    'With only `cohort`, the cohort is the bucketing key, so it is sticky too.': {
      'bucket-by-cohort': inDomain(
        decision('cohort=%E6%97%A5%E6%9C%AC%E8%AA%9E', 'in the bucket', { percentage: 33 }),
        make('flag', { enabled: true, trafficPercentage: 33 }),
        rollout(33, { parameter: 'cohort' }),
      ),
      'bucket-of-an-unlisted-cohort': inDomain(
        decision('cohort=00', 'in the bucket', { percentage: 50, cohorts: ['listed'] }),
        make('flag', { enabled: true, trafficPercentage: 50, cohorts: ['listed'] }),
        rollout(50, { parameter: 'cohort' }),
      ),
    },
  },
  'service.md: Versioning': {
    'A matching cohort evaluates to true regardless of the traffic percentage (previously it also had to pass the percentage).':
      {
        'listed-cohort-since-eval-1-1-0': rule('cohort=beta-testers', 'cohort listed', {
          percentage: 1,
          cohorts: ['beta-testers'],
        }),
      },
    'requests with neither stay random.': {
      'roll-with-attributes-only': inDomain(
        decision('plan=pro&user=1', 'random roll', { percentage: 50 }),
        make('flag', { enabled: true, trafficPercentage: 50 }),
        tally(160, evaluate('${flag}?plan=pro&user=1')),
      ),
    },
    'Percentage rollouts are sticky per `targetingKey` (or per cohort when only cohort is sent)': {
      'bucket-of-a-matched-audience': inDomain(
        decision('plan=pro&targetingKey=%C3%A9', 'in the bucket', { percentage: 40, audience: 'Pro' }),
        make('flag', { enabled: true, trafficPercentage: 40, audienceId: '${audience:shop/Pro}' }),
        rollout(40, { query: 'plan=pro' }),
      ),
    },
  },
  'design.md: Bucketing, version 1': {
    'No Unicode normalisation, no case folding.': {
      'cohort-no-unicode-normalisation': rule('cohort=e%CC%81', 'nobody', { cohorts: ['é'] }),
      'bucket-without-normalisation': inDomain(
        decision('targetingKey=e%CC%81', 'not in the bucket', { percentage: 40 }),
        make('flag', { enabled: true, trafficPercentage: 40 }),
        rollout(40, { keys: 0 }),
      ),
    },
  },
  'decisions.md: Names and ids': {
    'A cohort is 1 to 256 characters': {
      'cohort-of-256-characters': rule(`cohort=${'c'.repeat(256)}`, 'cohort listed', {
        cohorts: ['c'.repeat(256)],
      }),
    },
  },
  'service.md: Audience': {
    'Rules are exact-match only: no regular expressions, no version comparison, no numeric comparison.': {
      'audience-no-regular-expressions': rule('plan=pro', 'audience not matched', {
        percentage: 100,
        audience: 'Pattern',
      }),
      'audience-pattern-is-text': rule('plan=pr.*', 'everyone', { percentage: 100, audience: 'Pattern' }),
      'audience-no-version-comparison': rule('version=1.10.0', 'audience not matched', {
        percentage: 100,
        audience: 'Version',
      }),
      'audience-no-numeric-comparison': rule('version=10.0', 'audience not matched', {
        percentage: 100,
        audience: 'Version',
      }),
    },
  },
  'service.md: What the service does': {
    'A multi-environment project holds flags of kind `groupflag`, with state per environment.': {
      'state-is-per-environment': [
        evaluate('${flag:regions/beta}?env=eu').is(200, { enabled: true }),
        evaluate('${flag:regions/beta}?env=us').is(200, { enabled: false }),
        evaluate('${flag:regions/gamma}?env=us&cohort=x').is(200, { enabled: false }),
      ],
    },
  },
};
