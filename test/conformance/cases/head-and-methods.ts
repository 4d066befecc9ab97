import type { Topic } from '../conformance-case.ts';
import { absent, anyone, anyText, as, ci, eachText, evaluate, make, reader } from '../steps.ts';

export const headAndMethods: Topic = {
  'decisions.md: Evaluation API': {
    '`HEAD` answers as `GET` without a body.': {
      'head-health': [
        anyone.get('/health').is(200).keep({ type: 'headers.content-type' }),
        anyone.send('HEAD', '/health').text(200, '').with({ 'content-type': '${type}' }),
      ],
      'head-evaluation': [
        evaluate('${flag:shop/on}').is(200).keep({ type: 'headers.content-type' }),
        anyone.send('HEAD', '/v1/flags/${flag:shop/on}').text(200, '').with({ 'content-type': '${type}' }),
      ],
      'head-project': [
        anyone.get('/v1/flags/project/${project:catalogue}').is(200).keep({ type: 'headers.content-type' }),
        anyone
          .send('HEAD', '/v1/flags/project/${project:catalogue}')
          .text(200, '')
          .with({ 'content-type': '${type}' }),
      ],
      'head-unknown-flag': [
        evaluate('x').is(404).keep({ type: 'headers.content-type' }),
        anyone.send('HEAD', '/v1/flags/x').text(404, '').with({ 'content-type': '${type}' }),
      ],
      'head-undecodable': [
        evaluate('${flag:shop/on}?cohort=%').is(400).keep({ type: 'headers.content-type' }),
        anyone
          .send('HEAD', '/v1/flags/${flag:shop/on}?cohort=%')
          .text(400, '')
          .with({ 'content-type': '${type}' }),
      ],
      'head-access-off': [
        evaluate('${flag:closed/flag}').is(403).keep({ type: 'headers.content-type' }),
        anyone
          .send('HEAD', '/v1/flags/${flag:closed/flag}')
          .text(403, '')
          .with({ 'content-type': '${type}' }),
      ],
      'head-without-a-token': [
        anyone.token().is(401),
        anyone.send('HEAD', '/api/v1/token').text(401, ''),
        ci.token().is(200),
      ],
      'head-plan-required': [
        as('free-app/ci').send('HEAD', '/api/v1/token').text(402, ''),
        ci.token().is(200),
      ],
      'head-then-get-on-one-connection': [
        anyone.send('HEAD', '/v1/flags/${flag:shop/on}').text(200, '').times(3),
        evaluate('${flag:shop/on}').is(200, { enabled: true }),
        anyone.send('HEAD', '/health').text(200, '').times(3),
        anyone.get('/health').is(200),
      ],
    },
  },
  'decisions.md: Management API: the order of checks': {
    "404 `Not found` for any path or method that is not a route (no 405: the specification's table has none).":
      {
        'head-management-token': [
          reader
            .send('HEAD', '/api/v1/token')
            .text(404, '')
            .with({ 'content-type': /^application\/json/u }),
          reader.token().is(200),
        ],
        'head-management-list': [
          reader
            .send('HEAD', '/api/v1/flags?name=on')
            .text(404, '')
            .with({ 'content-type': /^application\/json/u }),
          reader.list('?name=on').is(200),
        ],
        'head-management-flag': [
          reader
            .send('HEAD', '/api/v1/flags/${flag:shop/on}')
            .text(404, '')
            .with({ 'content-type': /^application\/json/u }),
          reader.read('${flag:shop/on}').is(200),
        ],
        'no-route-delete-flags-one': ci
          .send('DELETE', '/api/v1/flags/${flag:shop/on}')
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-put-flags-one': ci
          .send('PUT', '/api/v1/flags/${flag:shop/on}', { enabled: true })
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-post-flags-one': ci
          .post('/api/v1/flags/${flag:shop/on}', { enabled: true })
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-patch-flags': ci
          .patch('/api/v1/flags', { enabled: true })
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-delete-flags': ci
          .send('DELETE', '/api/v1/flags')
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-put-flags': ci
          .send('PUT', '/api/v1/flags', { enabled: true })
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-post-token': ci
          .post('/api/v1/token', { enabled: true })
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-patch-token': ci
          .patch('/api/v1/token', { enabled: true })
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
        'no-route-delete-token': ci
          .send('DELETE', '/api/v1/token')
          .exactly(404, { error: 'Not found', detail: anyText, docs: anyText }),
      },
  },
  'service.md: CORS': {
    'A preflight OPTIONS request is answered without a token.': {
      'preflight-then-get-on-one-connection': [
        anyone
          .send('OPTIONS', '/api/v1/flags/${flag:shop/on}')
          .is(204)
          .with({ 'content-length': { $oneOf: [absent, '0'] } })
          .times(3),
        reader.read('${flag:shop/on}').is(200),
      ],
    },
  },
  'service.md: Errors': {
    'no such flag, flag of another project, or any nonexistent path under `/api/v1`': {
      'no-route-paths': [
        ci.get('/api/v1').notFound(),
        ...eachText(
          ['/api/v1/', '/api/v1/nothing', '/api/v1/tokens', '/api/v1/token/', '/api/v1/flags/'],
          (path) => ci.get(path).notFound(),
        ),
        ...eachText(['${flag:shop/on}/', '${flag:shop/on}/state'], (path) => ci.read(path).notFound()),
        ci.get('/api/v1/audiences').notFound(),
        ci.get('/api/v1/flag/${flag:shop/on}').notFound(),
        ci.get('/api/v1/Flags').notFound(),
        ...eachText(['/api/v1//flags', '/api/v1/projects/${project:shop}'], (path) =>
          ci.get(path).notFound(),
        ),
      ],
    },
  },
  'service.md: What the service does': {
    'It has no endpoint that lists audiences.': {
      'no-route-for-audiences': [
        ci.get('/api/v1/audiences').is(404),
        ci.get('/api/v1/audiences/${audience:shop/Pro}').is(404),
      ],
    },
    'deleting a flag, renaming a flag, editing a flag description or tags, defining or editing audiences, and creating, rotating or revoking tokens':
      {
        'no-delete': [
          make('flag'),
          ci.send('DELETE', '/api/v1/flags/${flag}').is(404),
          ci
            .change('${flag}', { name: 'x', description: 'y', tags: ['z'] })
            .invalid('name', 'description', 'tags'),
          ci.post('/api/v1/tokens', { name: 'x' }).is(404),
          ci.read('${flag}').is(200, { name: '${case}' }),
        ],
      },
  },
};
