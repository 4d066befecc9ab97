import type { Topic } from '../conformance-case.ts';
import { anyone, as, ci, eachText, evaluate, make, on, reader, secondsOfAMinute } from '../steps.ts';

export const evaluationErrors: Topic = {
  'service.md: Errors': {
    'flag id does not exist, or `env` is missing or incorrect for a group flag': {
      'unknown-flag': [
        evaluate('A'.repeat(20)).notFound(),
        ...eachText(['x', 'a'.repeat(300)], (path) => evaluate(path).is(404)),
      ],
      'flag-id-letter-case': [
        evaluate('${flag:shop/on|swapped}').is(404),
        ...eachText(['${flag:shop/on}a', '${flag:shop/on|truncated}'], (path) => evaluate(path).is(404)),
      ],
      'flag-id-called-proto': [...eachText(['__proto__', 'constructor'], (path) => evaluate(path).is(404))],
      'env-missing': evaluate('${flag:regions/beta}').notFound(),
      'env-unknown': [
        evaluate('${flag:regions/beta}?env=mars').is(404),
        evaluate('${flag:regions/beta}?env=EU').is(404),
        evaluate('${flag:regions/beta}?env=').is(404),
        evaluate('${flag:regions/beta}?env=eu%20').is(404),
      ],
      'env-of-a-project-without-any': [
        evaluate('${flag:fresh/seed}?env=production').is(404),
        evaluate('${flag:fresh/seed}').is(404),
      ],
      'env-of-another-project': evaluate('${flag:regions/beta}?env=production').is(404),
    },
    'access to the flag is not permitted': {
      'access-not-permitted': evaluate('${flag:closed/flag}?cohort=x&targetingKey=y').is(403),
    },
  },
  'service.md: Authentication: Evaluation API': {
    'flags are addressed by flag id only': {
      'flag-addressed-by-name': evaluate('on').is(404),
      'flag-addressed-by-project-id': [
        ...eachText(['${project:shop}', '${audience:shop/Pro}'], (path) => evaluate(path).is(404)),
      ],
    },
  },
  'decisions.md: Evaluation API': {
    "403: an Admin has switched a project's Evaluation API access off in the console. It covers both routes.":
      {
        'access-off-flag': evaluate('${flag:closed/flag}').fails(403, 'Evaluation access off'),
        'access-off-project': anyone
          .get('/v1/flags/project/${project:closed}')
          .fails(403, 'Evaluation access off'),
        'access-off-group': [
          evaluate('${flag:closed-regions/flag}?env=eu').is(403),
          anyone.get('/v1/flags/project/${project:closed-regions}?env=eu').is(403),
        ],
        'access-off-leaves-the-management-api': as('closed/ci')
          .read('${flag:closed/flag}')
          .is(200, { enabled: true }),
      },
    'Order: decoding 400, unknown flag or project 404, access off 403, environment 404.': {
      'decoding-before-unknown': [
        evaluate(`${'A'.repeat(20)}?cohort=%zz`).is(400),
        anyone.get(`/v1/flags/project/${'A'.repeat(20)}?cohort=a+b`).is(400),
      ],
      'decoding-before-access-off': [
        evaluate('${flag:closed/flag}?plan=%').is(400),
        anyone.get('/v1/flags/project/${project:closed}?plan=%').is(400),
      ],
      'decoding-before-environment': evaluate('${flag:regions/beta}?env=mars&cohort=%FF').is(400),
      'repeated-before-unknown': evaluate(`${'A'.repeat(20)}?env=a&env=b`).is(400),
      'access-off-before-environment': [
        evaluate('${flag:closed-regions/flag}?env=mars').is(403),
        evaluate('${flag:closed-regions/flag}').is(403),
        anyone.get('/v1/flags/project/${project:closed-regions}').is(403),
      ],
    },
    'Any other method or path: 404.': {
      'evaluation-post': [
        anyone.post('/v1/flags/${flag:shop/on}').notFound(),
        anyone.post('/v1/flags/project/${project:shop}').is(404),
      ],
      'evaluation-put': [
        anyone.send('PUT', '/v1/flags/${flag:shop/on}').notFound(),
        anyone.send('PUT', '/v1/flags/project/${project:shop}').is(404),
      ],
      'evaluation-patch': [
        anyone.patch('/v1/flags/${flag:shop/on}').notFound(),
        anyone.patch('/v1/flags/project/${project:shop}').is(404),
      ],
      'evaluation-delete': [
        anyone.send('DELETE', '/v1/flags/${flag:shop/on}').notFound(),
        anyone.send('DELETE', '/v1/flags/project/${project:shop}').is(404),
      ],
      'evaluation-other-paths': [
        ...eachText(['/v1', '/v1/', '/v1/flags'], (path) => anyone.get(path).notFound()),
        evaluate('').notFound(),
        ...eachText(['/v1/flags/project', '/v1/flags/project/'], (path) => anyone.get(path).notFound()),
        ...eachText(['${flag:shop/on}/', '${flag:shop/on}/x'], (path) => evaluate(path).notFound()),
        anyone.get('/v1/flags/project/${project:shop}/x').notFound(),
        ...eachText(['/v1/nothing', '/v1/token'], (path) => anyone.get(path).notFound()),
      ],
    },
    'Query decoding: percent-decoding as UTF-8.': {
      'evaluation-escaped-id': [
        evaluate('${flag:shop/on|escaped}').is(200, { enabled: true }),
        anyone.get('/v1/flags/project/${project:catalogue|escaped}').is(200, { $length: 5 }),
      ],
    },
    'No rate limit by default; one per address can be switched on.': {
      'evaluation-without-limit': on(
        'default-limits',
        evaluate('${flag:shop/on}').is(200, { enabled: true }).times(700),
      ),
      'evaluation-limit-switched-on': on(
        'small-limits',
        evaluate('${flag:shop/on}').is(200, { enabled: true }).times(4),
        evaluate('${flag:shop/on}').fails(429, 'Too many requests').with({ 'retry-after': secondsOfAMinute }),
        anyone.from('other').get('/v1/flags/${flag:shop/on}').is(200, { enabled: true }),
      ),
    },
    'An acknowledged change is seen by every evaluation that starts after the acknowledgement, on that node: there is no stale window.':
      {
        'acknowledged-change-is-seen': [
          make('flag', { enabled: true, trafficPercentage: 100 }),
          ci.change('${flag}', { enabled: false }).is(200),
          evaluate('${flag}').is(200, { enabled: false }),
          anyone
            .get('/v1/flags/project/${project:shop}')
            .is(200, { $some: { id: '${flag}', enabled: false } }),
          ci.change('${flag}', { enabled: true }).is(200),
          evaluate('${flag}').is(200, { enabled: true }),
          anyone
            .get('/v1/flags/project/${project:shop}')
            .is(200, { $some: { id: '${flag}', enabled: true } }),
          ci.change('${flag}', { enabled: false }).is(200),
          evaluate('${flag}').is(200, { enabled: false }),
          anyone
            .get('/v1/flags/project/${project:shop}')
            .is(200, { $some: { id: '${flag}', enabled: false } }),
          ci.change('${flag}', { enabled: true }).is(200),
          evaluate('${flag}').is(200, { enabled: true }),
          anyone
            .get('/v1/flags/project/${project:shop}')
            .is(200, { $some: { id: '${flag}', enabled: true } }),
          ci.change('${flag}', { enabled: false }).is(200),
          evaluate('${flag}').is(200, { enabled: false }),
          anyone
            .get('/v1/flags/project/${project:shop}')
            .is(200, { $some: { id: '${flag}', enabled: false } }),
          ci.change('${flag}', { enabled: true }).is(200),
          evaluate('${flag}').is(200, { enabled: true }),
          anyone
            .get('/v1/flags/project/${project:shop}')
            .is(200, { $some: { id: '${flag}', enabled: true } }),
        ],
        'acknowledged-create-is-seen': [
          make('flag', { enabled: true, trafficPercentage: 100 }),
          evaluate('${flag}').is(200, { enabled: true }),
          reader.read('${flag}').is(200, { enabled: true }),
        ],
      },
  },
  'service.md: States and transitions': {
    'The Evaluation API is read-only and has no transitions.': {
      'evaluation-read-only': [
        make('flag', { enabled: false }),
        ci.patch('/v1/flags/${flag}', { enabled: true }).is(404),
        evaluate('${flag}').is(200, { enabled: false }),
      ],
    },
  },
  'service.md: What the service does': {
    'The Evaluation API is read-only, needs no credentials, and is safe to call from client-side code.': {
      'evaluation-needs-no-credentials': [
        evaluate('${flag:shop/on}', { authorization: 'Bearer nonsense' }).is(200, { enabled: true }),
        evaluate('${flag:shop/on}', { authorization: 'Bearer ${token:free-app/ci}' }).is(200, {
          enabled: true,
        }),
      ],
    },
  },
  'service.md: Evaluation flag response': {
    '| id | string | | name | string | | enabled | boolean |': {
      'evaluation-answer-shape': [
        evaluate('${flag:shop/listed}').gives('listed', false),
        evaluate('${flag:regions/beta}?env=eu').gives('beta', true),
      ],
    },
  },
  'decisions.md: Organisations, members and plans': {
    'A personal project has one owner, no organisation and no tokens.': {
      'evaluation-of-a-personal-project': [
        evaluate('${flag:diary/private}').is(200, { enabled: true }),
        anyone
          .get('/v1/flags/project/${project:diary}')
          .exactly(200, [{ id: '${flag:diary/private}', name: 'private', enabled: true }]),
        evaluate('${flag:travels/away}?env=home&cohort=me').is(200, { enabled: true }),
      ],
    },
  },
  'decisions.md: Names and ids': {
    'Flag names: 1 to 200 characters after trimming': {
      'evaluation-of-a-private-name': [
        make('flag', { name: '  "Zoë" \\ <b> 😀  ', enabled: true, trafficPercentage: 100 }),
        evaluate('${flag}').gives('"Zoë" \\ <b> 😀', true),
      ],
    },
  },
};
