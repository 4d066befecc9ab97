import type { Topic } from '../conformance-case.ts';
import {
  anyTag,
  as,
  burgee,
  ci,
  makeTagged,
  platformCi,
  platformReader,
  reader,
  repeated,
  stagingCi,
  text,
} from '../steps.ts';

export const idempotencyKeys: Topic = {
  'api.md: Create once: idempotency keys': {
    'The same key, token and body within 24 hours get the first answer again, byte for byte, and create nothing.':
      {
        'key-repeats-the-answer': [
          ci
            .create({ name: 'key-repeats', tags: ['a'] }, { 'idempotency-key': '${case}' })
            .is(201)
            .with({ etag: anyTag })
            .keep({ whole: 'text', tag: 'headers.etag', request: 'headers.x-request-id' }),
          ci
            .create({ name: 'key-repeats', tags: ['a'] }, { 'idempotency-key': '${case}' })
            .text(201, '${whole}')
            .with({ etag: '${tag}', 'x-request-id': { $not: '${request}' } })
            .times(3),
          reader.list('?name=key-repeats').exactly(200, { flags: { $length: 1 } }),
        ],
        'key-of-a-group-flag': [
          stagingCi
            .create(
              { name: 'key-group', environments: { staging: { enabled: true } } },
              { 'idempotency-key': '${case}' },
            )
            .is(201)
            .keep({ whole: 'text' }),
          stagingCi
            .create(
              { name: 'key-group', environments: { staging: { enabled: true } } },
              { 'idempotency-key': '${case}' },
            )
            .text(201, '${whole}'),
          platformReader.list('?name=key-group').exactly(200, { flags: { $length: 1 } }),
        ],
      },
    'The same key with another body is a [400](errors.md#invalid-request).': {
      'key-with-another-body': [
        ci.create({ name: 'key-other' }, { 'idempotency-key': '${case}' }).is(201).keep({ whole: 'text' }),
        ci.create({ name: 'key-other-2' }, { 'idempotency-key': '${case}' }).invalid('Idempotency-Key'),
        ci.create(text('{"name": "key-other"}'), { 'idempotency-key': '${case}' }).invalid(),
        ci
          .create(text(''), { 'idempotency-key': '${case}' })
          .is(400, { detail: { $contains: 'Idempotency-Key' } }),
        ci.create({ name: 'key-other' }, { 'idempotency-key': '${case}' }).text(201, '${whole}'),
        reader.list('?name=key-other-2').exactly(200, { flags: { $length: 0 } }),
      ],
    },
    'A key is 1 to 255 visible ASCII characters, and belongs to the token that sent it.': {
      'key-form-one': [
        ci.create({ name: 'key-form-one' }, { 'idempotency-key': 'k' }).is(201).keep({ whole: 'text' }),
        ci.create({ name: 'key-form-one' }, { 'idempotency-key': 'k' }).text(201, '${whole}'),
      ],
      'key-form-longest': [
        ci
          .create({ name: 'key-form-longest' }, { 'idempotency-key': 'k'.repeat(255) })
          .is(201)
          .keep({ whole: 'text' }),
        ci.create({ name: 'key-form-longest' }, { 'idempotency-key': 'k'.repeat(255) }).text(201, '${whole}'),
      ],
      'key-form-marks': [
        ci
          .create({ name: 'key-form-marks' }, { 'idempotency-key': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~' })
          .is(201)
          .keep({ whole: 'text' }),
        ci
          .create({ name: 'key-form-marks' }, { 'idempotency-key': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~' })
          .text(201, '${whole}'),
      ],
      'key-malformed-empty': ci
        .create({ name: 'key-malformed', x: 1 }, { 'idempotency-key': '' })
        .invalid(/^the header Idempotency-Key must be 1 to 255 visible ASCII.*; unknown field "x"$/u),
      'key-malformed-too-long': ci
        .create({ name: 'key-malformed', x: 1 }, { 'idempotency-key': 'k'.repeat(256) })
        .invalid(/^the header Idempotency-Key must be 1 to 255 visible ASCII.*; unknown field "x"$/u),
      'key-malformed-space': ci
        .create({ name: 'key-malformed', x: 1 }, { 'idempotency-key': 'a b' })
        .invalid(/^the header Idempotency-Key must be 1 to 255 visible ASCII.*; unknown field "x"$/u),
      'key-malformed-tab': ci
        .create({ name: 'key-malformed', x: 1 }, { 'idempotency-key': 'a\tb' })
        .invalid(/^the header Idempotency-Key must be 1 to 255 visible ASCII.*; unknown field "x"$/u),
      'key-malformed-latin': ci
        .create({ name: 'key-malformed', x: 1 }, { 'idempotency-key': 'cafés' })
        .invalid(/^the header Idempotency-Key must be 1 to 255 visible ASCII.*; unknown field "x"$/u),
      'key-belongs-to-its-token': [
        platformCi
          .create({ name: 'key-token' }, { 'idempotency-key': '${case}' })
          .is(201)
          .keep({ first: 'body.id' }),
        as('platform/both-ci')
          .create({ name: 'key-token' }, { 'idempotency-key': '${case}' })
          .is(201, { id: { $not: '${first}' } }),
        stagingCi.create({ name: 'key-token', x: 0 }, { 'idempotency-key': '${case}' }).is(400),
        platformReader.list('?name=key-token').exactly(200, { flags: { $length: 2 } }),
      ],
    },
    'A refused create can be corrected and sent again with the same key.': {
      'key-of-a-refusal-is-free': [
        ci.create({ name: '' }, { 'idempotency-key': '${case}' }).invalid(),
        ci.create({ name: 'key-corrected' }, { 'idempotency-key': '${case}' }).is(201),
        ci
          .create({ name: '' }, { 'idempotency-key': '${case}' })
          .is(400, { detail: { $contains: 'Idempotency-Key' } }),
      ],
    },
    'The kept answer does not change when the flag is changed or deleted.': {
      'key-outlives-changes': [
        ci
          .create({ name: 'key-outlives' }, { 'idempotency-key': '${case}' })
          .is(201)
          .keep({ whole: 'text', id: 'body.id', tag: 'headers.etag' }),
        ci.change('${id}', { enabled: true }).is(200),
        ci
          .create({ name: 'key-outlives' }, { 'idempotency-key': '${case}' })
          .text(201, '${whole}')
          .with({ etag: '${tag}' }),
      ],
    },
    'Token, plan and permission are checked before: a revoked token gets 401 and not the kept answer.': {
      'key-comes-after-the-guard': [
        as('shop/to-revoke-after-create')
          .create({ name: 'key-revoked' }, { 'idempotency-key': '${case}' })
          .is(201),
        burgee('token', 'revoke', '${tokenId:shop/to-revoke-after-create}'),
        as('shop/to-revoke-after-create')
          .create({ name: 'key-revoked' }, { 'idempotency-key': '${case}' })
          .fails(401, 'Token revoked'),
        reader.create({ name: 'x' }, { 'idempotency-key': 'a b' }).fails(403, 'Insufficient permission'),
        ci
          .create(repeated('', ' ', 1048577, ''), { 'idempotency-key': 'a b' })
          .fails(413, 'Payload too large'),
      ],
    },
    'On `PATCH` the header is ignored: a patch [can be repeated](#patch-flag) without it.': {
      'key-ignored-on-patch': [
        makeTagged('key-patch'),
        ci.change('${id}', { enabled: true }, { 'idempotency-key': 'k' }).is(200, { changed: true }),
        ci.change('${id}', { enabled: true }, { 'idempotency-key': 'k' }).is(200, { changed: false }),
        ci.change('${id}', { enabled: false }, { 'idempotency-key': 'k' }).is(200, { changed: true }),
        ci.change('${id}', { enabled: true }, { 'idempotency-key': 'not a key' }).is(200),
      ],
    },
  },
  'api.md: Create a flag': {
    'The same request sent twice makes two flags of one name, unless both carry the same [`Idempotency-Key`](#idempotency-keys).':
      {
        'no-key-creates-twice': [
          ci.create({ name: 'key-none' }).is(201).times(2),
          reader.list('?name=key-none').exactly(200, { flags: { $length: 2 } }),
          ci.create({ name: 'key-none' }, { 'idempotency-key': '${case}-1' }).is(201),
          ci.create({ name: 'key-none' }, { 'idempotency-key': '${case}-2' }).is(201),
          reader.list('?name=key-none').exactly(200, { flags: { $length: 4 } }),
        ],
      },
  },
  'api.md: Which check comes first': {
    '| | `Idempotency-Key` that was used before | the first answer, or [400](errors.md#invalid-request) |': {
      'key-comes-before-the-environments': [
        stagingCi
          .create({ name: 'key-limit', environments: { staging: {} } }, { 'idempotency-key': '${case}' })
          .is(201),
        stagingCi
          .create({ name: 'key-limit', environments: { production: {} } }, { 'idempotency-key': '${case}' })
          .invalid(),
      ],
    },
  },
  'api.md: Dry runs': {
    'An [`Idempotency-Key`](#idempotency-keys) is neither looked up nor kept.': {
      'key-and-dry-run': [
        ci
          .post('/api/v1/flags?dryRun=true', { name: 'key-dry' }, { 'idempotency-key': '${case}' })
          .is(201)
          .keep({ dry: 'text' }),
        ci.post('/api/v1/flags?dryRun=true', { name: 'key-dry-2' }, { 'idempotency-key': '${case}' }).is(201),
        ci
          .create({ name: 'key-dry' }, { 'idempotency-key': '${case}' })
          .text(201, { $not: '${dry}' })
          .keep({ whole: 'text' }),
        ci
          .post('/api/v1/flags?dryRun=true', { name: 'key-dry' }, { 'idempotency-key': '${case}' })
          .text(201, { $not: '${whole}' }),
        ci
          .post('/api/v1/flags?dryRun=yes', { name: 'key-dry' }, { 'idempotency-key': '${case}' })
          .is(400, { detail: { $contains: 'dryRun' } }),
        ci
          .post('/api/v1/flags?dryRun=true', { name: 'key-dry' }, { 'idempotency-key': 'a b' })
          .is(400, { detail: { $contains: 'Idempotency-Key' } }),
        ci
          .post('/api/v1/flags?dryRun=false', { name: 'key-dry' }, { 'idempotency-key': '${case}' })
          .text(201, '${whole}'),
        reader.list('?name=key-dry').exactly(200, { flags: { $length: 1 } }),
      ],
    },
  },
};
