import type { Topic } from '../conformance-case.ts';
import { anyone, anyText, as, burgee, ci, evaluate, on, reader, stagingReader } from '../steps.ts';

export const limitsFailedAuthentication: Topic = {
  'decisions.md: Management API: the order of checks': {
    'Failures 1 to 20 in a window answer 401; the next request of any kind answers 429 (title `Too many failed attempts`).':
      {
        'failures-twenty-then-limited': [anyone.token().is(401).times(20), anyone.token().locked()],
        'failures-nineteen': [
          anyone.token().is(401).times(19),
          ci.token().is(200),
          anyone.token().is(401),
          ci.token().locked(),
        ],
      },
    'Missing, malformed and unknown count toward the limit; revoked and expired do not, and are recorded as denials.':
      {
        'failures-on-unknown-paths': [
          anyone.get('/api/v1/nothing').is(401).times(20),
          anyone.get('/api/v1/nothing').locked(),
        ],
        'failures-not-expired': [
          as('shop/expired').token().fails(401, 'Token expired').times(25),
          ci.token().is(200),
        ],
        'failures-not-revoked': [
          burgee('token', 'revoke', '${tokenId:shop/to-revoke-often}'),
          as('shop/to-revoke-often').token().fails(401, 'Token revoked').times(25),
          ci.token().is(200),
        ],
      },
    '429 with the envelope, `Retry-After`, for every request from that address until its window ends.': {
      'failures-head': [anyone.send('HEAD', '/api/v1/token').is(401).times(20), ci.token().locked()],
    },
  },
  'service.md: Limits': {
    'while limited, every request from that IP gets 429, even with a valid token': {
      'failures-limit-a-valid-token': [
        anyone.token().is(401).times(20),
        ci.token().locked(),
        reader.list().locked(),
        ci.get('/api/v1/nothing').locked(),
        ci.create({ name: 'x' }).fails(429, 'Too many failed attempts'),
      ],
    },
    'counted for requests with no token, a malformed token or a nonexistent token': {
      'failures-of-three-kinds': [
        anyone.token().is(401).times(7),
        anyone.token({ authorization: 'Bearer burgee_x' }).is(401).times(7),
        anyone.token({ authorization: 'Bearer ${foreignToken}' }).is(401).times(6),
        ci.token().locked(),
      ],
      'failures-unknown-tokens': [
        anyone.list('', { authorization: 'Bearer ${foreignToken}' }).is(401).times(20),
        ci.list().locked(),
      ],
      'failures-on-writes': [
        anyone.change('${flag:shop/on}', { enabled: true }).is(401).times(10),
        anyone.create({ name: 'x' }, { authorization: 'Bearer ${foreignToken}' }).is(401).times(10),
        ci.token().locked(),
      ],
    },
    'a valid token that is misconfigured (wrong permission, revoked, wrong environment) does not count toward the failed authentication limit':
      {
        'failures-not-refused': [
          reader.create({ name: 'x' }).is(403).times(25),
          stagingReader.read('${flag:platform/plain}?env=production').is(403).times(25),
          ci.token().is(200),
        ],
      },
    'Management API; after that 429 with the envelope and a detail saying to wait a minute': {
      'failures-leave-evaluation-alone': [
        anyone.token().is(401).times(20),
        anyone.token().is(429),
        evaluate('${flag:shop/on}').is(200, { enabled: true }),
        anyone.get('/health').is(200),
      ],
    },
    '20 per minute per IP address': {
      'failures-by-address': [
        anyone.token().is(401).times(20),
        ci.token().locked(),
        ci.from('neighbour').token().is(200),
        anyone.from('neighbour').token().is(401),
      ],
    },
  },
  'service.md: Errors': {
    'the authentication 429 detail says to wait a minute before retrying': {
      'failures-detail': [
        anyone.token({ authorization: 'Bearer x' }).is(401).times(20),
        ci.token().is(429, { detail: { $all: [{ $contains: 'wait' }, { $contains: 'minute' }] } }),
      ],
    },
  },
  'service.md: Authentication: Management API': {
    '402 when the organisation is not eligible (see States and transitions)': {
      'failures-not-ineligible': [as('free-app/ci').token().is(402).times(25), ci.token().is(200)],
    },
  },
  'service.md: Authentication: Evaluation API': {
    'No credentials; flags are addressed by flag id only.': {
      'failures-not-evaluations': [
        evaluate('x', { authorization: 'Bearer burgee_x' }).is(404).times(25),
        ci.token().is(200),
      ],
    },
  },
  'design.md: Security notes that cost others dearly': {
    '`X-Forwarded-For` is read from the right, skipping trusted proxies, only when the peer is one': {
      'failures-spoofed-forwarding': [
        anyone.token({ 'x-forwarded-for': '198.51.100.1' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.2' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.3' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.4' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.5' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.6' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.7' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.8' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.9' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.10' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.11' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.12' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.13' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.14' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.15' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.16' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.17' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.18' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.19' }).is(401),
        anyone.token({ 'x-forwarded-for': '198.51.100.20' }).is(401),
        ci.token({ 'x-forwarded-for': '198.51.100.99' }).locked(),
      ],
      'failures-behind-a-proxy': on(
        'behind-proxy',
        ci.token({ 'x-forwarded-for': '198.51.100.7' }).is(200).times(6),
        ci.token({ 'x-forwarded-for': '198.51.100.7' }).text(429, anyText),
        ci.token({ 'x-forwarded-for': '198.51.100.8' }).is(200),
      ),
      'forwarded-from-the-right': on(
        'behind-proxy',
        ci.token({ 'x-forwarded-for': '203.0.113.0, 198.51.100.17, 127.0.0.9' }).is(200),
        ci.token({ 'x-forwarded-for': '203.0.113.1, 198.51.100.17, 127.0.0.9' }).is(200),
        ci.token({ 'x-forwarded-for': '203.0.113.2, 198.51.100.17, 127.0.0.9' }).is(200),
        ci.token({ 'x-forwarded-for': '203.0.113.3, 198.51.100.17, 127.0.0.9' }).is(200),
        ci.token({ 'x-forwarded-for': '203.0.113.4, 198.51.100.17, 127.0.0.9' }).is(200),
        ci.token({ 'x-forwarded-for': '203.0.113.5, 198.51.100.17, 127.0.0.9' }).is(200),
        ci.token({ 'x-forwarded-for': '203.0.113.99, 198.51.100.17, 127.0.0.9' }).text(429, anyText),
        ci.token({ 'x-forwarded-for': '198.51.100.17, 198.51.100.18' }).is(200),
      ),
    },
    'IPv6 by /64': {
      'forwarded-ipv6-by-64': on(
        'behind-proxy',
        ci.token({ 'x-forwarded-for': '2001:db8:1:2::1' }).is(200),
        ci.token({ 'x-forwarded-for': '2001:db8:1:2::2' }).is(200),
        ci.token({ 'x-forwarded-for': '2001:db8:1:2::3' }).is(200),
        ci.token({ 'x-forwarded-for': '2001:db8:1:2::4' }).is(200),
        ci.token({ 'x-forwarded-for': '2001:db8:1:2::5' }).is(200),
        ci.token({ 'x-forwarded-for': '2001:db8:1:2::6' }).is(200),
        ci.token({ 'x-forwarded-for': '2001:db8:1:2:ffff::1' }).text(429, anyText),
        ci.token({ 'x-forwarded-for': '2001:db8:1:3::1' }).is(200),
      ),
    },
    '(`::ffff:a.b.c.d` is IPv4 first)': {
      'forwarded-mapped-ipv4': on(
        'behind-proxy',
        ci.token({ 'x-forwarded-for': '198.51.100.33' }).is(200).times(6),
        ci.token({ 'x-forwarded-for': '::ffff:198.51.100.33' }).text(429, anyText),
        ci.token({ 'x-forwarded-for': '::ffff:198.51.100.34' }).is(200),
      ),
    },
  },
};
