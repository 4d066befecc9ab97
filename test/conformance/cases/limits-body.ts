import type { Topic } from '../conformance-case.ts';
import {
  anyone,
  anyText,
  chunked,
  ci,
  evaluate,
  hold,
  make,
  on,
  padded,
  reader,
  repeated,
} from '../steps.ts';

export const limitsBody: Topic = {
  'decisions.md: Management API: the order of checks': {
    'Body size: 413 `Payload too large` at once when more than 1 MiB (1,048,576 bytes are accepted) has arrived or is declared':
      {
        'body-of-one-mebibyte': [
          ci.create(padded(1048576, { name: 'x' })).is(201),
          ci.create(padded(1048575, { name: 'x' })).is(201),
        ],
        'body-of-one-byte-more': ci
          .create(padded(1048577, { name: 'x' }))
          .exactly(413, { error: 'Payload too large', detail: anyText, docs: anyText }),
        'body-chunked-of-one-mebibyte': [
          make('flag'),
          ci.change('${flag}', chunked(padded(1048576, { enabled: true }))).is(200, { changed: true }),
        ],
        'body-chunked-of-one-byte-more': [
          make('flag'),
          ci.change('${flag}', chunked(padded(1048577, { enabled: true }))).fails(413, 'Payload too large'),
          reader.read('${flag}').is(200, { enabled: false }),
        ],
      },
    'what still comes is read and dropped, so that the client sees the answer': {
      'body-far-too-large': [
        ci.create(repeated('{"name":"', 'x', 5000000, '"}')).is(413),
        ci.create(chunked(repeated('{"name":"', 'x', 5000000, '"}'))).is(413),
        ci.token().is(200),
      ],
    },
    'All buffered bodies together are bounded (64 MiB, a setting): above it 503.': {
      'buffered-bodies-are-bounded-together': on(
        'few-bodies',
        hold(ci.post('/api/v1/flags'), 1000000, 900000),
        ci
          .create(padded(900000, { name: 'x' }))
          .exactly(503, { error: 'Service unavailable', detail: anyText, docs: anyText })
          .with({ 'retry-after': /^[1-9][0-9]*$/u }),
        ci.token().is(200),
      ),
    },
    'Below the reserve of free disk space, writes get 503 `Storage full`': {
      'storage-full': on(
        'full-disk',
        ci.create({ name: 'x' }).fails(503, 'Storage full'),
        ci.change('${flag:shop/on}', { enabled: false }).fails(503, 'Storage full'),
        evaluate('${flag:shop/on}').is(200, { enabled: true }),
      ),
    },
    'Reads go on in both.': {
      'storage-full-reads-still-work': on(
        'full-disk',
        reader.list().is(200),
        reader.read('${flag:shop/on}').is(200),
        reader.token().is(200),
        anyone.get('/v1/flags/project/${project:catalogue}').is(200),
      ),
    },
  },
  'service.md: Limits': {
    '| request body | at most 1 MiB (413 above) | POST and PATCH |': {
      'body-limit-of-the-specification': [
        ci.change('${flag:shop/on}', padded(1048577, { enabled: true })).is(413),
        ci.change('${flag:shop/on}', padded(1048576, { enabled: true })).is(200, { changed: false }),
      ],
    },
  },
  'service.md: Errors': {
    'request body larger than 1 MiB': {
      'body-413-status': ci.create(padded(1100000, { name: 'x' })).is(413),
    },
  },
  'decisions.md: Names and ids': {
    "the 1 MiB body is the list's limit": {
      'body-full-of-cohorts': [
        make('flag', { enabled: true }),
        ci
          .change('${flag}', repeated('{"cohorts":["first"', `,"${'c'.repeat(250)}"`, 4000, ',"last one"]}'))
          .is(200, { changed: true, flag: { cohorts: { $length: 4002 } } }),
        evaluate('${flag}?cohort=last%20one').is(200, { enabled: true }),
        evaluate('${flag}?cohort=nobody').is(200, { enabled: false }),
        reader.read('${flag}').is(200, { cohorts: { $length: 4002 } }),
        ci.change('${flag}', { cohorts: [] }).is(200, { changed: true }),
      ],
    },
  },
  'service.md: GET /api/v1/token': {
    'No parameters, no body.': {
      'body-on-a-get-is-ignored': ci.send('GET', '/api/v1/token', { x: 1 }).is(200, { name: 'ci' }),
    },
  },
  'errors.md: Write quota reached': {
    'Its changes are refused until the next day begins, in UTC. Nothing was applied.': {
      'write-quota-reached': on(
        'small-quota',
        ci.create({ name: 'x' }).is(201),
        ci.change('${flag:shop/on}', { enabled: false }).fails(429, 'Write quota reached'),
        evaluate('${flag:shop/on}').is(200, { enabled: true }),
      ),
    },
  },
};
