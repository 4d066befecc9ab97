import type { Topic } from '../conformance-case.ts';
import { absent, anyInteger, anyone, anyText, ci, eachText, evaluate, on } from '../steps.ts';

export const cors: Topic = {
  'service.md: CORS': {
    'Allowed methods: GET, POST, PATCH, OPTIONS. Allowed request headers: `Content-Type`, `Authorization`.': {
      'preflight-token': anyone
        .send('OPTIONS', '/api/v1/token', undefined, {
          origin: 'https://app.example.test',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type',
        })
        .preflight(),
      'preflight-list': anyone
        .send('OPTIONS', '/api/v1/flags', undefined, {
          origin: 'https://app.example.test',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type',
        })
        .preflight(),
      'preflight-flag': anyone
        .send('OPTIONS', '/api/v1/flags/${flag:shop/on}', undefined, {
          origin: 'https://app.example.test',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type',
        })
        .preflight(),
    },
    'A preflight OPTIONS request is answered without a token.': {
      'preflight-without-a-token': anyone.send('OPTIONS', '/api/v1/flags').preflight(),
      'preflight-evaluation': [
        ...eachText(['/v1/flags/${flag:shop/on}', '/v1/flags/project/${project:shop}?cohort=x'], (path) =>
          anyone
            .send('OPTIONS', path, undefined, {
              origin: 'https://app.example.test',
              'access-control-request-method': 'PATCH',
              'access-control-request-headers': 'authorization,content-type',
            })
            .preflight(),
        ),
        anyone.send('OPTIONS', '/health').preflight(),
      ],
      'preflight-is-no-failure': [
        anyone.send('OPTIONS', '/api/v1/token').is(204).times(30),
        ci.token().is(200),
      ],
    },
    'Responses carry `Access-Control-Allow-Origin: *` without credentials.': {
      'origin-on-answers': [
        ci
          .token({ origin: 'https://app.example.test' })
          .is(200)
          .with({ 'access-control-allow-origin': '*', 'access-control-allow-credentials': absent }),
        evaluate('${flag:shop/on}', { origin: 'https://app.example.test' })
          .is(200)
          .with({ 'access-control-allow-origin': '*', 'access-control-allow-credentials': absent }),
      ],
    },
  },
  'decisions.md: Management API: the order of checks': {
    '`OPTIONS`: 204 with the CORS headers, no token needed.': {
      'preflight-needs-no-preflight-headers': [
        anyone.send('OPTIONS', '/api/v1/flags').preflight(),
        anyone.send('OPTIONS', '/api/v1/flags', undefined, { authorization: 'Bearer nonsense' }).preflight(),
      ],
      'preflight-before-the-route': [
        anyone.send('OPTIONS', '/api/v1/nothing').preflight(),
        anyone.send('OPTIONS', `/api/v1/flags/${'A'.repeat(20)}`).preflight(),
      ],
      'preflight-before-the-failure-limit': [
        anyone.token().is(401).times(20),
        anyone.send('OPTIONS', '/api/v1/token').preflight(),
        anyone.token().is(429),
      ],
    },
  },
  'decisions.md: Evaluation API': {
    'CORS headers are on every answer of `/api/v1`, `/v1` and `/health`, the plain 429 and 503 included; nothing under `/console` or `/docs` has them.':
      {
        'origin-on-errors': [
          anyone.token().is({ $gte: 400 }).with({ 'access-control-allow-origin': '*' }),
          anyone.get('/api/v1/nothing').is({ $gte: 400 }).with({ 'access-control-allow-origin': '*' }),
          evaluate('x').is({ $gte: 400 }).with({ 'access-control-allow-origin': '*' }),
          evaluate('x?cohort=%').is({ $gte: 400 }).with({ 'access-control-allow-origin': '*' }),
          evaluate('${flag:closed/flag}').is({ $gte: 400 }).with({ 'access-control-allow-origin': '*' }),
          anyone.get('/v1/nothing').is({ $gte: 400 }).with({ 'access-control-allow-origin': '*' }),
        ],
        'origin-on-the-plain-429': on(
          'small-limits',
          ci.token().is(200).times(6),
          ci.token().text(429, anyText).with({ 'access-control-allow-origin': '*' }),
        ),
        'origin-not-on-the-documentation': [
          anyone
            .get('/docs')
            .is({ $oneOf: [200, 301, 302, 307, 308] })
            .with({ 'access-control-allow-origin': absent }),
          anyone
            .get('/docs/')
            .is({ $oneOf: [200, 301, 302, 307, 308, 404] })
            .with({ 'access-control-allow-origin': absent }),
        ],
        'origin-not-on-the-console': anyone
          .get('/console')
          .is(anyInteger)
          .with({ 'access-control-allow-origin': absent }),
      },
  },
};
