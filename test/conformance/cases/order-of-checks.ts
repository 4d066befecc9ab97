import type { Topic } from '../conformance-case.ts';
import {
  anyone,
  as,
  burgee,
  ci,
  platformCi,
  reader,
  repeated,
  stagingCi,
  stagingReader,
  text,
} from '../steps.ts';

export const orderOfChecks: Topic = {
  'decisions.md: Management API: the order of checks': {
    '401 titles: `Missing bearer token`, `Malformed bearer token`, `Unknown token`, `Token revoked`, `Token expired`.':
      {
        'order-revoked-before-plan': [
          burgee('token', 'revoke', '${tokenId:free-app/to-revoke}'),
          as('free-app/to-revoke').token().fails(401, 'Token revoked'),
        ],
        'order-expired-before-plan': as('free-app/expired').token().fails(401, 'Token expired'),
        'order-authentication-before-body': [
          anyone.create(text('{')).is(401),
          anyone.create(repeated('[', '1,', 600000, '1]')).is(401),
        ],
      },
    'Route: 404 `Not found` for any path or method that is not a route': {
      'order-authentication-before-route': [
        anyone.get('/api/v1/nothing').is(401),
        anyone.send('DELETE', '/api/v1/flags/${flag:shop/on}').is(401),
        as('shop/expired').get('/api/v1/nothing').is(401),
      ],
      'order-route-before-permission': [
        reader.send('DELETE', '/api/v1/flags/${flag:shop/on}').is(404),
        reader.post('/api/v1/token').is(404),
      ],
      'order-route-before-body-size': ci
        .send('PUT', '/api/v1/flags/${flag:shop/on}', repeated('[', '1,', 600000, '1]'))
        .is(404),
    },
    '402 `Plan required`, reads included.': {
      'order-plan-before-route': [
        as('free-app/ci').get('/api/v1/nothing').is(402),
        as('free-app/ci').send('DELETE', '/api/v1/flags').is(402),
      ],
      'order-plan-before-permission': as('free-app/reader').create({ name: 'x' }).is(402),
      'order-plan-before-body-size': as('free-app/ci')
        .create(repeated('[', '1,', 600000, '1]'))
        .is(402),
      'order-plan-before-flag': as('free-app/ci').read('A'.repeat(20)).is(402),
    },
    'Permission: 403 `Insufficient permission`.': {
      'order-permission-before-body-size': [
        reader.create(repeated('[', '1,', 600000, '1]')).fails(403, 'Insufficient permission'),
        reader.change('${flag:shop/on}', repeated('[', '1,', 600000, '1]')).is(403),
      ],
      'order-permission-before-flag': reader
        .change('A'.repeat(20), { enabled: true })
        .fails(403, 'Insufficient permission'),
      'order-permission-before-environment': stagingReader
        .change('${flag:platform/plain}?env=production', { enabled: true })
        .fails(403, 'Insufficient permission'),
      'order-permission-before-problems': [
        reader.create(text('{')).is(403),
        reader.change('${flag:shop/on}?env=x', {}).is(403),
      ],
    },
    'Body size: 413 `Payload too large` at once when more than 1 MiB (1,048,576 bytes are accepted) has arrived or is declared':
      {
        'order-body-size-before-flag': ci.change('A'.repeat(20), repeated('[', '1,', 600000, '1]')).is(413),
        'order-body-size-before-environment': stagingCi
          .change('${flag:platform/plain}?env=production', repeated('[', '1,', 600000, '1]'))
          .is(413),
      },
    "Flag look-up: 404 `Not found`, the same bytes for an unknown flag and another project's flag.": {
      'order-flag-before-environment': [
        stagingCi.change(`${'A'.repeat(20)}?env=production`, { enabled: true }).is(404),
        stagingCi.read(`${'A'.repeat(20)}?env=production`).is(404),
      ],
      'order-flag-before-problems': [
        ci.change('A'.repeat(20), text('{')).is(404),
        ci.change(`${'A'.repeat(20)}?env=x`, { a: 1 }).is(404),
        ci.read(`${'A'.repeat(20)}?env=a&env=b`).is(404),
      ],
    },
    "Token's environment limit: 403 `Environment not permitted` for an `env` outside the list, whether or not it exists":
      {
        'order-environment-before-problems': [
          stagingCi
            .change('${flag:platform/plain}?env=production', { a: 1 })
            .fails(403, 'Environment not permitted'),
          stagingCi.change('${flag:platform/plain}?env=production', text('{')).is(403),
        ],
      },
    '403 `Forbidden` for a create whose body names an environment outside the list.': {
      'order-create-environment-before-problems': stagingCi
        .create({ name: '', unknown: 1, environments: { production: { enabled: 'yes' } } })
        .fails(403, 'Forbidden'),
    },
    'query first, then body keys in the order sent': {
      'order-query-before-body': [
        ci.change('${flag:shop/on}?env=staging', { zz: 1 }).invalid(/env.*; unknown field "zz"$/u),
        platformCi.change('${flag:platform/plain}', { zz: 1 }).invalid(/env.*; unknown field "zz"$/u),
        platformCi
          .change('${flag:platform/plain}?env=mars', { zz: 1 })
          .invalid(/staging.*; unknown field "zz"$/u),
      ],
      'order-of-body-keys': [
        ci.change('${flag:shop/on}', { trafficPercentage: 101, b: 1, enabled: null, a: 2 }).invalid({
          $exactly:
            '"trafficPercentage" must be a whole number between 0 and 100; unknown field "b"; "enabled" cannot be null; unknown field "a"',
        }),
        ci.change('${flag:shop/on}', { a: 2, enabled: null, b: 1, trafficPercentage: 101 }).invalid({
          $exactly:
            'unknown field "a"; "enabled" cannot be null; unknown field "b"; "trafficPercentage" must be a whole number between 0 and 100',
        }),
      ],
    },
  },
};
