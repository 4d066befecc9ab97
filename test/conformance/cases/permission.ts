import type { Topic } from '../conformance-case.ts';
import { anyText, as, ci, make, reader, stagingReader } from '../steps.ts';

export const permission: Topic = {
  'service.md: Errors': {
    'permission 403 says the token has read permission and the endpoint needs write': {
      'read-token-cannot-create': reader.create({ name: 'x' }).exactly(403, {
        error: 'Insufficient permission',
        detail: { $all: [{ $contains: 'read' }, { $contains: 'write' }] },
        docs: anyText,
      }),
      'read-token-cannot-patch': reader.change('${flag:shop/on}', { enabled: false }).exactly(403, {
        error: 'Insufficient permission',
        detail: { $all: [{ $contains: 'read' }, { $contains: 'write' }] },
        docs: anyText,
      }),
      'read-token-cannot-repeat-a-patch': reader.change('${flag:shop/on}', { enabled: true }).is(403),
    },
  },
  'service.md: Authentication: Management API': {
    'Permissions: `read` for GET routes; `write` for POST and PATCH as well.': {
      'read-token-reads': [
        reader.token().is(200),
        reader.list().is(200),
        reader.read('${flag:shop/on}').is(200),
      ],
      'write-token-reads-and-writes': [
        ci.token().is(200),
        ci.list().is(200),
        make('flag'),
        ci.read('${flag}').is(200),
        ci.change('${flag}', { enabled: true }).is(200, { changed: true }),
      ],
    },
  },
  'service.md: Events': {
    'a real token refused (revoked, expired, wrong permission, or disallowed environment)': {
      'refused-write-changes-nothing': [
        make('flag', { enabled: true, trafficPercentage: 100 }),
        ci.read('${flag}').is(200).keep({ before: 'body.updatedAt' }),
        reader.change('${flag}', { enabled: false }).is(403),
        as('shop/expired').change('${flag}', { enabled: false }).is(401),
        ci.read('${flag}').is(200, { enabled: true, updatedAt: '${before}' }),
      ],
    },
  },
  'decisions.md: Tokens': {
    'The refusal of a read waits for that record, within its deadline; if it cannot be stored, the refusal is given all the same, logged and counted.':
      {
        'refusals-are-given-every-time': stagingReader
          .list('?env=production')
          .fails(403, 'Environment not permitted')
          .times(40),
      },
  },
};
