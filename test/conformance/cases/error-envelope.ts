import type { Topic } from '../conformance-case.ts';
import { anyone, anyText, as, ci, evaluate, on, reader, repeated } from '../steps.ts';

export const errorEnvelope: Topic = {
  'service.md: Errors': {
    'Management API errors use the envelope `{error, detail, docs}`.': {
      'envelope-400': ci.change('${flag:shop/on}', {}).exactly(400, {
        error: 'Invalid request',
        detail: /.{10}/u,
        docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' },
      }),
      'envelope-401': anyone.token().exactly(401, {
        error: 'Missing bearer token',
        detail: /.{10}/u,
        docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' },
      }),
      'envelope-402': as('free-app/ci')
        .token()
        .exactly(402, {
          error: 'Plan required',
          detail: /.{10}/u,
          docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' },
        }),
      'envelope-403': reader.create({}).exactly(403, {
        error: 'Insufficient permission',
        detail: /.{10}/u,
        docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' },
      }),
      'envelope-404': ci
        .read('A'.repeat(20))
        .exactly(404, { error: 'Not found', detail: /.{10}/u, docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' } }),
      'envelope-413': ci.create(repeated('[', '1,', 600000, '1]')).exactly(413, {
        error: 'Payload too large',
        detail: /.{10}/u,
        docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' },
      }),
    },
  },
  'decisions.md: Management API: the order of checks': {
    '429 with the envelope': {
      'envelope-429': [
        anyone.token().is(401).times(20),
        ci.token().exactly(429, {
          error: 'Too many failed attempts',
          detail: anyText,
          docs: { $regex: '^${docsUrl}#[a-z0-9-]+$' },
        }),
      ],
    },
    'Every answer under `/api/v1` carries `X-Request-Id`.': {
      'request-id': [
        ci
          .token()
          .is(200)
          .with({ 'x-request-id': /^[^\s]{8,}$/u })
          .keep({ one: 'headers.x-request-id' }),
        ci
          .token()
          .is(200)
          .with({ 'x-request-id': { $not: '${one}' } }),
        anyone.get('/api/v1/nothing').is(401).with({ 'x-request-id': anyText }),
        anyone.send('OPTIONS', '/api/v1/flags').is(204).with({ 'x-request-id': anyText }),
      ],
    },
    'Authenticated answers carry `Cache-Control: no-store`.': {
      'no-store': [
        ci.token().is(200).with({ 'cache-control': 'no-store' }),
        ci.list().is(200).with({ 'cache-control': 'no-store' }),
        ci.read('A'.repeat(20)).is(404).with({ 'cache-control': 'no-store' }),
        reader.create({}).is(403).with({ 'cache-control': 'no-store' }),
        evaluate('${flag:shop/on}').is(200).with({ 'cache-control': 'no-store' }),
        anyone.get('/v1/flags/project/${project:catalogue}').is(200).with({ 'cache-control': 'no-store' }),
      ],
    },
  },
  'decisions.md: Evaluation API': {
    'Errors use the same `{error, detail, docs}` envelope. `Cache-Control: no-store`.': {
      'envelope-of-the-evaluation-api': [
        evaluate('x')
          .exactly(404, { error: 'Not found', detail: anyText, docs: { $regex: '^${docsUrl}#' } })
          .with({ 'cache-control': 'no-store' }),
        evaluate('${flag:shop/on}?cohort=%').exactly(400, {
          error: 'Invalid request',
          detail: anyText,
          docs: { $regex: '^${docsUrl}#' },
        }),
        evaluate('${flag:closed/flag}').exactly(403, {
          error: 'Evaluation access off',
          detail: anyText,
          docs: { $regex: '^${docsUrl}#' },
        }),
      ],
    },
  },
  'service.md: Error envelope': {
    'link `{docs_url}#<section>` to the explaining section': {
      'envelope-docs-of-the-operator': on(
        'own-docs',
        anyone.token().is(401, { docs: /^https:\/\/docs\.example\.test\/flags#[a-z0-9-]+$/u }),
        evaluate('x').is(404, { docs: /^https:\/\/docs\.example\.test\/flags#[a-z0-9-]+$/u }),
      ),
    },
  },
  'decisions.md: Management API: the rest': {
    '`docs` links are `{docs_url}#<section>`, and the section exists in the documentation that Burgee serves.':
      {
        'documentation-is-served': anyone
          .get('/docs')
          .text(200, { $all: [{ $contains: 'Invalid request' }, { $contains: 'Plan required' }] })
          .with({ 'content-type': /^text\/html/u }),
      },
  },
};
