import type { Topic } from '../conformance-case.ts';
import { absent, anyTag, ci, makeTagged, platformReader, reader, stagingReader } from '../steps.ts';

export const conditionalRequests: Topic = {
  'api.md: ETags': {
    'The answer to a read, a create or a change of one flag has an `ETag`': {
      'etag-on-every-flag': [
        makeTagged('etag-on-every-flag'),
        reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ci.change('${id}', { enabled: true }).is(200).with({ etag: anyTag }).keep({ moved: 'headers.etag' }),
        reader
          .read('${id}')
          .is(200)
          .with({ etag: { $all: ['${moved}', { $not: '${tag}' }] } }),
      ],
      'etag-not-on-lists-and-errors': [
        reader.list().is(200).with({ etag: absent }),
        reader.token().is(200).with({ etag: absent }),
        reader.read('none').is(404).with({ etag: absent }),
      ],
    },
    'It changes with every change that a representation can show, and also when an environment becomes protected or unprotected.':
      {
        'etag-stays-when-nothing-changes': [
          makeTagged('etag-stays'),
          ci.change('${id}', { enabled: false }).is(200, { changed: false }).with({ etag: '${tag}' }),
        ],
      },
    'when one of the listed tags is the current one': {
      'if-none-match-plain': [
        makeTagged('if-none-match'),
        reader
          .read('${id}', { 'if-none-match': '${tag}' })
          .text(304, '')
          .with({ etag: '${tag}', 'content-type': absent, 'cache-control': 'no-store' }),
      ],
      'if-none-match-weak': [
        makeTagged('if-none-match'),
        reader
          .read('${id}', { 'if-none-match': 'W/${tag}' })
          .text(304, '')
          .with({ etag: '${tag}', 'content-type': absent, 'cache-control': 'no-store' }),
      ],
      'if-none-match-listed': [
        makeTagged('if-none-match'),
        reader
          .read('${id}', { 'if-none-match': '"other", ${tag} ,, W/"x"' })
          .text(304, '')
          .with({ etag: '${tag}', 'content-type': absent, 'cache-control': 'no-store' }),
      ],
      'if-none-match-any': [
        makeTagged('if-none-match'),
        reader
          .read('${id}', { 'if-none-match': '*' })
          .text(304, '')
          .with({ etag: '${tag}', 'content-type': absent, 'cache-control': 'no-store' }),
      ],
      'if-none-match-moved': [
        makeTagged('if-none-match-moved'),
        ci.change('${id}', { trafficPercentage: 1 }).is(200),
        reader.read('${id}', { 'if-none-match': '${tag}' }).is(200, { trafficPercentage: 1 }),
      ],
    },
    'A malformed `If-None-Match` is ignored.': {
      'if-none-match-malformed-unquoted': [
        makeTagged('if-none-match-malformed'),
        reader.read('${id}', { 'if-none-match': '1-1' }).is(200, { id: '${id}' }),
      ],
      'if-none-match-malformed-open': [
        makeTagged('if-none-match-malformed'),
        reader.read('${id}', { 'if-none-match': '"1-1' }).is(200, { id: '${id}' }),
      ],
      'if-none-match-malformed-two': [
        makeTagged('if-none-match-malformed'),
        reader.read('${id}', { 'if-none-match': '"a" "b"' }).is(200, { id: '${id}' }),
      ],
      'if-none-match-malformed-empty': [
        makeTagged('if-none-match-malformed'),
        reader.read('${id}', { 'if-none-match': ',' }).is(200, { id: '${id}' }),
      ],
      'if-none-match-malformed-star-in-list': [
        makeTagged('if-none-match-malformed'),
        reader.read('${id}', { 'if-none-match': '*, "a"' }).is(200, { id: '${id}' }),
      ],
    },
    'Both take a list of tags, or `*`.': {
      'if-none-match-hides-no-refusal': [
        reader.read('none', { 'if-none-match': '*' }).notFound(),
        platformReader.read('${flag:platform/plain}?env=moon', { 'if-none-match': '*' }).invalid(),
        stagingReader
          .read('${flag:platform/plain}?env=production', { 'if-none-match': '*' })
          .fails(403, 'Environment not permitted'),
      ],
      'if-match-comes-last': [
        makeTagged('if-match-last'),
        ci.change('${id}', {}, { 'if-match': '"9-9"' }).invalid(),
        ci.change('none', { enabled: true }, { 'if-match': '"9-9"' }).notFound(),
        reader
          .change('${id}', { enabled: true }, { 'if-match': '"9-9"' })
          .fails(403, 'Insufficient permission'),
      ],
    },
    'The tags are the same for every token, because every token sees the whole flag.': {
      'etag-is-the-same-for-every-token': [
        platformReader.read('${flag:platform/plain}').is(200).keep({ tag: 'headers.etag', whole: 'text' }),
        stagingReader.read('${flag:platform/plain}').text(200, '${whole}').with({ etag: '${tag}' }),
      ],
    },
    'and nothing is changed, when the flag has changed since': {
      'if-match-plain': [
        makeTagged('if-match'),
        ci.change('${id}', { enabled: true }, { 'if-match': '${tag}' }).is(200, { changed: true }),
      ],
      'if-match-listed': [
        makeTagged('if-match'),
        ci.change('${id}', { enabled: true }, { 'if-match': '"other",${tag}' }).is(200, { changed: true }),
      ],
      'if-match-any': [
        makeTagged('if-match'),
        ci.change('${id}', { enabled: true }, { 'if-match': '*' }).is(200, { changed: true }),
      ],
      'if-match-moved': [
        makeTagged('if-match-moved'),
        ci
          .change('${id}', { enabled: true }, { 'if-match': '${tag}' })
          .is(200)
          .keep({ moved: 'headers.etag' }),
        ci
          .change('${id}', { trafficPercentage: 5 }, { 'if-match': '${tag}' })
          .exactly(412, {
            error: 'Precondition failed',
            detail: { $contains: '${moved}' },
            docs: '${docsUrl}#precondition-failed',
          })
          .with({ etag: absent }),
        reader.read('${id}').is(200, { trafficPercentage: 0 }).with({ etag: '${moved}' }),
        ci.change('${id}', { trafficPercentage: 5 }, { 'if-match': '${moved}' }).is(200),
      ],
    },
    '`If-Match` never matches a weak tag.': {
      'if-match-weak': [
        makeTagged('if-match-weak'),
        ci
          .change('${id}', { enabled: true }, { 'if-match': 'W/${tag}' })
          .fails(412, 'Precondition failed', 'weak tags only'),
      ],
      'if-match-foreign': [
        makeTagged('if-match-foreign'),
        ci
          .change('${id}', { enabled: true }, { 'if-match': '"1", "01-1", "-1", ""' })
          .fails(412, 'Precondition failed'),
      ],
    },
    'It compares the state of the flag only: adding or renaming an environment does not make it fail.': {
      'if-match-looks-at-the-flag-alone': [
        makeTagged('if-match-flag-alone'),
        ci.change('${id}', { enabled: true }, { 'if-match': '"1-999"' }).is(200, { changed: true }),
      ],
    },
    'A malformed `If-Match` is a [400](errors.md#invalid-request), because ignoring it would let a change through.':
      {
        'if-match-malformed-unquoted': [
          makeTagged('if-match-malformed'),
          ci
            .change('${id}', { enabled: true, x: 1 }, { 'if-match': '1-1' })
            .invalid(/^the header If-Match must be .*; unknown field "x"$/u),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'if-match-malformed-empty': [
          makeTagged('if-match-malformed'),
          ci
            .change('${id}', { enabled: true, x: 1 }, { 'if-match': '' })
            .invalid(/^the header If-Match must be .*; unknown field "x"$/u),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'if-match-malformed-open': [
          makeTagged('if-match-malformed'),
          ci
            .change('${id}', { enabled: true, x: 1 }, { 'if-match': '"1-1' })
            .invalid(/^the header If-Match must be .*; unknown field "x"$/u),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
      },
  },
  'api.md: CORS': {
    "Scripts may read the answer's `X-Request-Id`, `Retry-After` and `ETag` on the Management API.": {
      'etag-is-exposed': reader
        .read('${flag:shop/on}')
        .is(200)
        .with({ 'access-control-expose-headers': { $contains: 'ETag' } }),
    },
  },
};
