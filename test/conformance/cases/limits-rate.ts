import type { Topic } from '../conformance-case.ts';
import { anyInteger, anyone, anyText, as, ci, evaluate, on, platformCi, reader } from '../steps.ts';

export const limitsRate: Topic = {
  'service.md: Limits': {
    '600 requests per minute per IP address, enforced before the request reaches the API; shared by all clients behind one address':
      {
        'rate-default-600': on(
          'default-limits',
          ci.token().is(200).times(300),
          as('warehouse/ci').token().is(200).times(300),
          ci.token().limited(),
          platformCi.token().limited(),
        ),
      },
    'over the limit: plain 429 with no JSON envelope': {
      'rate-plain': on(
        'small-limits',
        ci.list().is(200).times(6),
        ci
          .list()
          .text(429, { $not: { $contains: '{' } })
          .with({ 'content-type': /^text\/plain/u }),
      ),
    },
    'shared by all clients behind one address': {
      'rate-by-address': on(
        'small-limits',
        ci.token().is(200).times(6),
        as('warehouse/ci').token().limited(),
        as('warehouse/ci').from('neighbour').token().is(200),
      ),
    },
    'On a 429 the client waits a minute before retrying.': {
      'rate-retry-after': on(
        'small-limits',
        ci.token().is(200).times(6),
        ci
          .token()
          .text(429, anyText)
          .with({ 'retry-after': /^(5[0-9]|60)$/u }),
      ),
    },
  },
  'decisions.md: Management API: the order of checks': {
    "A fixed window of 60 s from an address's first request: exactly the limit is answered, then 429.": {
      'rate-exactly-the-limit': on(
        'small-limits',
        ci.token().is(200).times(6),
        ci.token().limited().times(3),
      ),
    },
    'Paths under `/api/v1` count, OPTIONS too, and no others.': {
      'rate-counts-options': on(
        'small-limits',
        anyone.send('OPTIONS', '/api/v1/flags').is(204).times(6),
        anyone.send('OPTIONS', '/api/v1/flags').limited(),
        ci.token().limited(),
      ),
      'rate-counts-unknown-paths': on(
        'small-limits',
        ci.get('/api/v1/nothing').is(404).times(6),
        ci.token().limited(),
      ),
      'rate-counts-refusals': on(
        'small-limits',
        as('free-app/ci').token().is(402).times(3),
        reader.create({ name: 'x' }).is(403).times(3),
        ci.token().limited(),
      ),
      'rate-counts-writes': on(
        'small-limits',
        ci.change('${flag:shop/on}', { enabled: true }).is(200, { changed: false }).times(6),
        ci.change('${flag:shop/on}', { enabled: false }).limited(),
        evaluate('${flag:shop/on}').is(200, { enabled: true }),
      ),
      'rate-not-the-evaluation-api': on(
        'small-limits',
        anyone.get('/docs').is(anyInteger).times(8),
        anyone.get('/health').is(200).times(8),
        evaluate('${flag:shop/on}').is(200).times(4),
        ci.token().is(200).times(6),
        ci.token().limited(),
      ),
      'rate-head': on(
        'small-limits',
        ci.send('HEAD', '/api/v1/token').is(404).times(6),
        ci.token().limited(),
      ),
    },
    'Per-address request rate, before anything else is read: plain-text `429 Too Many Requests`, `Retry-After`, no envelope.':
      {
        'rate-before-authentication': on(
          'small-limits',
          anyone.token().is(401).times(6),
          anyone.token().limited(),
        ),
      },
  },
};
