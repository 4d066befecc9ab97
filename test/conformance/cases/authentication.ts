import type { Topic } from '../conformance-case.ts';
import { anyone, anyText, as, burgee, ci, evaluate, on, reader } from '../steps.ts';

export const authentication: Topic = {
  'service.md: Authentication: Management API': {
    '401 when the header is missing or malformed, or the token is unknown, revoked or expired': {
      'auth-missing': [
        anyone.token().exactly(401, { error: 'Missing bearer token', detail: anyText, docs: anyText }),
        anyone.list().exactly(401, { error: 'Missing bearer token', detail: anyText, docs: anyText }),
        anyone
          .read('${flag:shop/on}')
          .exactly(401, { error: 'Missing bearer token', detail: anyText, docs: anyText }),
      ],
      'auth-missing-on-writes': [
        anyone.create({ name: 'x' }).fails(401, 'Missing bearer token'),
        anyone.change('${flag:shop/on}', { enabled: true }).fails(401, 'Missing bearer token'),
      ],
      'auth-empty-header': anyone
        .token({ authorization: '' })
        .fails(401, { $oneOf: ['Missing bearer token', 'Malformed bearer token'] }),
      'auth-other-scheme-on-writes': anyone
        .create({ name: 'x' }, { authorization: 'Token ${token:shop/ci}' })
        .fails(401, 'Malformed bearer token'),
    },
    'Token secrets start with a fixed prefix followed by an underscore: `<TOKEN_PREFIX>_<secret>`.': {
      'auth-secret-form': anyone
        .token({ authorization: 'Bearer burgee_${token:shop/ci|bare}' })
        .is(200, { name: 'ci' }),
    },
    'Tokens must be sent in the header, never in a URL.': {
      'auth-never-in-the-url': [
        anyone
          .get('/api/v1/token?token=${token:shop/ci}')
          .exactly(401, { error: 'Missing bearer token', detail: anyText, docs: anyText }),
        anyone
          .get('/api/v1/token?access_token=${token:shop/ci}&authorization=Bearer%20${token:shop/ci}')
          .exactly(401, { error: 'Missing bearer token', detail: anyText, docs: anyText }),
      ],
    },
    'A token belongs to one project; the token decides the project, so no project id is ever sent.': {
      'auth-cross-project': [
        as('warehouse/ci').read('${flag:shop/on}').is(404),
        as('warehouse/ci').read('${flag:warehouse/crate}').is(200),
      ],
    },
  },
  'service.md: Errors': {
    '| 401 | missing, malformed, unknown, revoked or expired token | `Missing bearer token` (for a missing token) |':
      {
        'auth-title-of-a-missing-token': anyone
          .token()
          .exactly(401, { error: 'Missing bearer token', detail: anyText, docs: anyText }),
      },
  },
  'decisions.md: Management API: the order of checks': {
    '401 titles: `Missing bearer token`, `Malformed bearer token`, `Unknown token`, `Token revoked`, `Token expired`.':
      {
        'auth-malformed-basic': anyone
          .token({ authorization: 'Basic dXNlcjpwYXNz' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-only-bearer': anyone
          .token({ authorization: 'Bearer' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-secret-alone': anyone
          .token({ authorization: '${token:shop/ci}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-other-prefix': anyone
          .token({ authorization: 'Bearer other_${token:shop/ci|bare}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-no-prefix': anyone
          .token({ authorization: 'Bearer ${token:shop/ci|bare}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-prefix-alone': anyone
          .token({ authorization: 'Bearer burgee_' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-short': anyone
          .token({ authorization: 'Bearer burgee_abc' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-two-words': anyone
          .token({ authorization: 'Bearer ${token:shop/ci} ${token:shop/ci}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-words': anyone
          .token({ authorization: 'Bearer not-a-token' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-longer': anyone
          .token({ authorization: 'Bearer ${token:shop/ci}x' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-malformed-prefix-letter-case': anyone
          .token({ authorization: 'Bearer BURGEE_${token:shop/ci|bare}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        'auth-unknown': anyone
          .token({ authorization: 'Bearer ${foreignToken}' })
          .exactly(401, { error: 'Unknown token', detail: anyText, docs: anyText }),
        'auth-unknown-on-a-write': anyone
          .change('${flag:shop/on}', { enabled: false }, { authorization: 'Bearer ${foreignToken}' })
          .fails(401, 'Unknown token'),
        'auth-expired': [
          anyone
            .token({ authorization: 'Bearer ${token:shop/expired}' })
            .exactly(401, { error: 'Token expired', detail: anyText, docs: anyText }),
          anyone
            .list('', { authorization: 'Bearer ${token:shop/expired-reader}' })
            .exactly(401, { error: 'Token expired', detail: anyText, docs: anyText }),
          as('shop/expired').change('${flag:shop/on}', { enabled: false }).fails(401, 'Token expired'),
        ],
      },
  },
  'decisions.md: Names and ids': {
    'so that a mistyped or truncated secret is told from an unknown one without a store look-up': {
      'auth-truncated': [
        anyone
          .token({ authorization: 'Bearer ${token:shop/ci|truncated}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        anyone
          .token({ authorization: 'Bearer ${token:shop/ci|head}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
      ],
      'auth-mistyped': anyone
        .token({ authorization: 'Bearer ${token:shop/ci|altered}' })
        .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
      'auth-mistyped-letter-case': anyone
        .token({ authorization: 'Bearer ${token:shop/ci|swapped}' })
        .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
    },
    '`Bearer` matches in any case.': {
      'auth-any-letter-case': [
        anyone.token({ authorization: 'Bearer ${token:shop/ci}' }).is(200, { name: 'ci' }),
        anyone.token({ authorization: 'bearer ${token:shop/ci}' }).is(200, { name: 'ci' }),
        anyone.token({ authorization: 'BEARER ${token:shop/ci}' }).is(200, { name: 'ci' }),
        anyone.token({ authorization: 'bEaReR ${token:shop/ci}' }).is(200, { name: 'ci' }),
      ],
    },
    'After a change of prefix, tokens with a prefix listed in `BURGEE_TOKEN_PREFIXES_ACCEPTED` still work.': {
      'auth-prefix-changed': on(
        'new-prefix',
        ci.token().is(200, { name: 'ci' }),
        anyone.token({ authorization: 'Bearer acme_prod_${token:shop/ci|bare}' }).is(200, { name: 'ci' }),
        anyone
          .token({ authorization: 'Bearer acme_${token:shop/ci|bare}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
      ),
    },
    'Only a SHA-256 of the part after the last underscore is stored.': {
      'auth-hash-of-the-part-after-the-last-underscore': on(
        'new-prefix',
        anyone
          .token({ authorization: 'Bearer acme_prod_${token:shop/reader|bare}' })
          .is(200, { name: 'reader' }),
      ),
    },
    'tokens with a prefix listed in `BURGEE_TOKEN_PREFIXES_ACCEPTED` still work': {
      'auth-prefix-dropped': on(
        'dropped-prefix',
        anyone
          .token({ authorization: 'Bearer ${token:shop/ci}' })
          .exactly(401, { error: 'Malformed bearer token', detail: anyText, docs: anyText }),
        anyone.token({ authorization: 'Bearer acme_${token:shop/ci|bare}' }).is(200, { name: 'ci' }),
      ),
    },
  },
  'decisions.md: Tokens': {
    'Expired means now ≥ `expiresAt`': {
      'auth-expired-when-the-time-has-come': anyone
        .token({ authorization: 'Bearer ${token:shop/expired-reader}' })
        .exactly(401, { error: 'Token expired', detail: anyText, docs: anyText }),
    },
    'Revocation takes effect at once on the node that took it.': {
      'auth-revoked': [
        as('shop/to-revoke').token().is(200),
        burgee('token', 'revoke', '${tokenId:shop/to-revoke}'),
        anyone
          .token({ authorization: 'Bearer ${token:shop/to-revoke}' })
          .exactly(401, { error: 'Token revoked', detail: anyText, docs: anyText }),
        as('shop/to-revoke').change('${flag:shop/on}', { enabled: false }).fails(401, 'Token revoked'),
        evaluate('${flag:shop/on}').is(200, { enabled: true }),
      ],
      'auth-revoked-others-work': [
        burgee('token', 'revoke', '${tokenId:shop/to-revoke-reader}'),
        as('shop/to-revoke-reader').token().fails(401, 'Token revoked'),
        reader.token().is(200),
        ci.token().is(200),
      ],
    },
  },
  'service.md: Token description': {
    'a token stops working after that time': {
      'auth-not-yet-expired': as('shop/dated')
        .token()
        .is(200, { expiresAt: { $gt: 0 } }),
    },
  },
  'service.md: Limits': {
    'revoked tokens stop working within about a minute': {
      'auth-revoked-on-a-warm-connection': [
        as('shop/to-revoke-at-once').list('?name=on').is(200).times(20),
        burgee('token', 'revoke', '${tokenId:shop/to-revoke-at-once}'),
        as('shop/to-revoke-at-once').list('?name=on').fails(401, 'Token revoked').times(5),
      ],
    },
  },
};
