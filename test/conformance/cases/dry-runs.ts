import type { Topic } from '../conformance-case.ts';
import { absent, anyId, anyTag, ci, flat, makeTagged, platformReader, reader, stagingCi } from '../steps.ts';

export const dryRuns: Topic = {
  'api.md: Dry runs': {
    'Nothing is written: no flag, no audit entry, no new `updatedAt`.': {
      'dry-run-patch': [
        makeTagged('dry-run-patch'),
        reader.read('${id}').is(200).keep({ whole: 'text' }),
        ci
          .change('${id}?dryRun=true', { enabled: true })
          .is(200, { changed: true, flag: { id: '${id}', enabled: true } })
          .with({ etag: absent }),
        ci
          .change('${id}?dryRun=true', { enabled: false })
          .is(200, { changed: false, flag: { enabled: false } })
          .with({ etag: absent }),
        reader.read('${id}').text(200, '${whole}').with({ etag: '${tag}' }),
      ],
      'dry-run-patch-of-a-group-flag': [
        platformReader.read('${flag:platform/plain}?env=staging').is(200).keep({ whole: 'text' }),
        stagingCi
          .change('${flag:platform/plain}?env=staging&dryRun=true', { trafficPercentage: 33 })
          .is(200, { changed: true, flag: { trafficPercentage: 33, environment: 'staging' } }),
        platformReader.read('${flag:platform/plain}?env=staging').text(200, '${whole}'),
      ],
      'dry-run-create': [
        ci
          .post('/api/v1/flags?dryRun=true', { name: 'dry-run-create', enabled: true })
          .exactly(201, flat({ id: anyId, name: 'dry-run-create', enabled: true }))
          .with({ etag: absent })
          .keep({ id: 'body.id' }),
        reader.read('${id}').notFound(),
        reader.list('?name=dry-run-create').exactly(200, { flags: [] }),
      ],
    },
    'With `?dryRun=true`, `POST` and `PATCH` are checked as without it, `If-Match` included, and give the answer that the write would get.':
      {
        'dry-run-false-writes': [
          ci
            .post('/api/v1/flags?dryRun=false', { name: 'dry-run-false' })
            .is(201)
            .with({ etag: anyTag })
            .keep({ id: 'body.id' }),
          ci.change('${id}?dryRun=false', { enabled: true }).is(200, { changed: true }),
          reader.read('${id}').is(200, { enabled: true }),
        ],
        'dry-run-makes-every-check': [
          makeTagged('dry-run-checks'),
          ci
            .change('${id}?dryRun=true', { enabled: null, x: 1 })
            .invalid({ $exactly: '"enabled" cannot be null; unknown field "x"' }),
          ci
            .change('${id}?dryRun=true', { enabled: true }, { 'if-match': '"9-9"' })
            .fails(412, 'Precondition failed'),
          ci
            .change('${id}?dryRun=true', { enabled: true }, { 'if-match': '${tag}' })
            .is(200, { changed: true }),
          reader.change('${id}?dryRun=true', { enabled: true }).fails(403, 'Insufficient permission'),
          ci.change('none?dryRun=true', { enabled: true }).notFound(),
          ci.post('/api/v1/flags?dryRun=true', {}).is(400, { detail: 'name is required' }),
          stagingCi
            .post('/api/v1/flags?dryRun=true', { name: 'x', environments: { production: {} } })
            .fails(403, 'Forbidden'),
        ],
      },
    'Any value but `true` or `false`, the parameter given twice, and an unknown parameter that may be meant as `dryRun` get a [400](errors.md#invalid-request).':
      {
        'dry-run-typing-error-value': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun=yes', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryRun=yes', { name: 'dry-run-typo-value' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-value').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-empty': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun=', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryRun=', { name: 'dry-run-typo-empty' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-empty').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-bare': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryRun', { name: 'dry-run-typo-bare' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-bare').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-capital-value': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun=True', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryRun=True', { name: 'dry-run-typo-capital-value' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-capital-value').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-case': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryrun=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryrun=true', { name: 'dry-run-typo-case' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-case').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-upper-case': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?DRYRUN=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?DRYRUN=true', { name: 'dry-run-typo-upper-case' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-upper-case').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typo-entity': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?x=1&amp;dryRun=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?x=1&amp;dryRun=true', { name: 'dry-run-typo-upper-case' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-upper-case').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typo-encoded-equals': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun%3Dtrue', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryRun%3Dtrue', { name: 'dry-run-typo-upper-case' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-upper-case').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typo-full-width': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?%EF%BD%84ryRun=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?%EF%BD%84ryRun=true', { name: 'dry-run-typo-upper-case' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-upper-case').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-case-false': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?DryRun=false', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?DryRun=false', { name: 'dry-run-typo-case-false' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-case-false').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-twice': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun=true&dryRun=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dryRun=true&dryRun=true', { name: 'dry-run-typo-twice' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-twice').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-twice-differently': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?dryRun=false&dryrun=true', { enabled: true }).invalid('dryRun'),
          ci
            .post('/api/v1/flags?dryRun=false&dryrun=true', { name: 'dry-run-typo-twice-differently' })
            .invalid('dryRun'),
          reader.list('?name=dry-run-typo-twice-differently').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-encoded': [
          makeTagged('dry-run-typo'),
          ci.change('${id}?%44ryRun=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?%44ryRun=true', { name: 'dry-run-typo-encoded' }).invalid('dryRun'),
          reader.list('?name=dry-run-typo-encoded').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
        'dry-run-typing-error-punctuation': [
          makeTagged('dry-run-hyphen'),
          ci.change('${id}?dry-run=true', { enabled: true }).invalid('dryRun'),
          ci.post('/api/v1/flags?dry-run=true', { name: 'dry-run-hyphen-encoded' }).invalid('dryRun'),
          reader.list('?name=dry-run-hyphen-encoded').exactly(200, { flags: [] }),
          reader.read('${id}').is(200).with({ etag: '${tag}' }),
        ],
      },
    'On `GET` the parameter is ignored like any other unknown one.': {
      'dry-run-ignored-on-get': [
        reader.read('${flag:shop/on}?dryRun=x&DRYRUN=y&dryRun=z').is(200),
        reader.list('?dryrun=x').is(200),
        reader.get('/api/v1/token?dryrun=x&dryrun=x').is(200),
      ],
    },
  },
};
