import type { Topic } from '../conformance-case.ts';
import { anyone, ci, eachText, evaluate, make } from '../steps.ts';

export const versioning: Topic = {
  'service.md: Versioning': {
    'The Management API path prefix is `/api/v1`.': {
      'paths-of-the-management-api': [
        ...eachText(['/api/v2/token', '/v1/token'], (path) => ci.get(path).is(404)),
      ],
    },
    'The Evaluation API path prefix is `/v1`.': {
      'path-prefix-of-the-evaluation-api': [
        anyone.get('/v2/flags/${flag:shop/on}').is(404),
        ci.read('project/${project:shop}').is(404),
      ],
    },
    'Other query parameters are attributes for audience matching.': {
      'other-parameters-are-attributes': evaluate('${flag:shop/pro-only}?x=1&plan=pro&y=2').is(200, {
        enabled: true,
      }),
    },
  },
  'service.md: What the service does': {
    'Its routes are GET /api/v1/token, GET /api/v1/flags, GET /api/v1/flags/{id}, POST /api/v1/flags and PATCH /api/v1/flags/{id}.':
      {
        routes: [
          ci.token().is(200),
          ci.list().is(200),
          make('flag'),
          ci.read('${flag}').is(200),
          ci.change('${flag}', { enabled: true }).is(200),
        ],
      },
  },
  'service.md: Events': {
    'a write made with a token that changes state': {
      'write-with-a-token': [
        make('flag'),
        ci.change('${flag}', { enabled: true }).is(200, { changed: true }),
      ],
    },
    '| a patch that changes nothing | no audit entry |': {
      'patch-without-effect-writes-nothing': [
        make('flag'),
        ci.read('${flag}').is(200).keep({ at: 'body.updatedAt' }),
        ci.change('${flag}', { enabled: false }).is(200, { changed: false, flag: { updatedAt: '${at}' } }),
      ],
    },
  },
};
