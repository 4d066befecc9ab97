import type { Topic } from '../conformance-case.ts';
import { anyId, as, ci, platformCi, reader, stagingCi } from '../steps.ts';

export const token: Topic = {
  'service.md: Token description': {
    '| permission | string | `read` or `write` |': {
      'token-write': ci.token().exactly(200, {
        id: '${tokenId:shop/ci}',
        name: 'ci',
        project: { id: '${project:shop}', name: 'shop' },
        permission: 'write',
        environments: [],
        expiresAt: 0,
      }),
      'token-read': reader.token().exactly(200, {
        id: '${tokenId:shop/reader}',
        name: 'reader',
        project: { id: '${project:shop}', name: 'shop' },
        permission: 'read',
        environments: [],
        expiresAt: 0,
      }),
    },
    'environments the token is limited to; empty array means every environment; never null': {
      'token-unlimited': platformCi.token().exactly(200, {
        id: '${tokenId:platform/ci}',
        name: 'ci',
        project: { id: '${project:platform}', name: 'platform' },
        permission: 'write',
        environments: [],
        expiresAt: 0,
      }),
      'token-limited': [
        stagingCi.token().exactly(200, {
          id: '${tokenId:platform/staging-ci}',
          name: 'staging-ci',
          project: { id: '${project:platform}', name: 'platform' },
          permission: 'write',
          environments: ['staging'],
          expiresAt: 0,
        }),
        as('platform/both-ci')
          .token()
          .is(200, { environments: ['staging', 'production'] }),
      ],
      'token-limited-to-proto': as('platform/proto-ci')
        .token()
        .exactly(200, {
          id: '${tokenId:platform/proto-ci}',
          name: 'proto-ci',
          project: { id: '${project:platform}', name: 'platform' },
          permission: 'write',
          environments: ['__proto__'],
          expiresAt: 0,
        }),
    },
    '| expiresAt | integer | Unix time in milliseconds; 0 means never expires |': {
      'token-with-an-expiry': as('shop/dated')
        .token()
        .exactly(200, {
          id: '${tokenId:shop/dated}',
          name: 'dated',
          project: { id: '${project:shop}', name: 'shop' },
          permission: 'read',
          environments: [],
          expiresAt: { $integer: true, $gt: 1700000000000 },
        }),
    },
    '20-character token id; it is not the secret': {
      'token-id-is-not-the-secret': ci.token().is(200, { id: anyId }).keep({ id: 'body.id' }),
    },
  },
  'decisions.md: Tokens': {
    'A limited token is stored as limited: renaming or deleting an environment never edits its list, and a list none of whose names exists permits nothing.':
      {
        'token-limited-to-a-removed-name': [
          as('platform/ghost-ci')
            .token()
            .exactly(200, {
              id: '${tokenId:platform/ghost-ci}',
              name: 'ghost-ci',
              project: { id: '${project:platform}', name: 'platform' },
              permission: 'write',
              environments: ['gone'],
              expiresAt: 0,
            }),
          as('platform/ghost-ci')
            .change('${flag:platform/plain}?env=production', { enabled: true })
            .fails(403, 'Environment not permitted'),
        ],
      },
  },
  'service.md: GET /api/v1/token': {
    'No parameters, no body. Returns 200 with the token description.': {
      'token-without-parameters': reader.get('/api/v1/token?anything=1&env=nowhere').exactly(200, {
        id: '${tokenId:shop/reader}',
        name: 'reader',
        project: { id: '${project:shop}', name: 'shop' },
        permission: 'read',
        environments: [],
        expiresAt: 0,
      }),
    },
  },
  'service.md: Authentication: Management API': {
    'A token belongs to one project; the token decides the project, so no project id is ever sent.': {
      'token-decides-the-project': [
        as('warehouse/ci')
          .token()
          .is(200, { project: { name: 'warehouse' } }),
        as('warehouse/ci')
          .list()
          .is(200, { flags: { $every: { name: 'crate' } } }),
      ],
    },
  },
};
