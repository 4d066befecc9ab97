import t from 'tap';
import { isTouchedBy, joined } from '../../src/console/client/changed.ts';
import type { WatchedChanges } from '../../src/domain/audit/watched-changes.ts';

const nothing: WatchedChanges = {
  position: '1.0',
  flags: [],
  everyFlag: false,
  audiences: false,
  project: false,
  tokens: false,
  organisation: false,
};
const keys = {
  session: ['session'],
  projects: ['all', 'list-projects', {}],
  members: ['all', 'list-members', {}],
  organisationAudit: ['all', 'list-project-audit', {}],
  search: ['all', 'search-console', {}, { q: 'gift' }],
  flags: ['shop', 'list-console-flags', {}],
  audiences: ['shop', 'list-audiences', {}],
  flag: ['shop', 'read-console-flag', { flagId: 'one' }],
  otherFlag: ['shop', 'read-console-flag', { flagId: 'two' }],
  audit: ['shop', 'list-project-audit', {}],
  tokens: ['shop', 'list-tokens', {}],
  activity: ['shop', 'read-token-activity', { tokenId: 'one' }],
  office: ['office', 'list-console-flags', {}],
} as const;

function touched(changed: Partial<WatchedChanges>): readonly string[] {
  const whole = { ...nothing, ...changed };
  return Object.entries(keys)
    .filter(([, key]) => isTouchedBy(whole, 'shop', key))
    .map(([name]) => name);
}

t.test('only the queries that a change can affect are read again', async (t) => {
  t.same(touched({}), ['organisationAudit', 'search'], 'something in another project');
  t.same(touched({ flags: ['one'] }), ['organisationAudit', 'search', 'flags', 'audiences', 'flag', 'audit']);
  t.same(touched({ audiences: true }), ['organisationAudit', 'search', 'audiences', 'audit']);
  t.same(touched({ tokens: true }), ['organisationAudit', 'search', 'audit', 'tokens', 'activity']);
  t.same(touched({ organisation: true }), ['session', 'projects', 'members', 'organisationAudit', 'search']);
  const ofProject = ['audiences', 'flag', 'otherFlag', 'audit', 'tokens', 'activity'];
  t.same(touched({ project: true }), ['projects', 'organisationAudit', 'search', ...ofProject]);
  t.same(
    touched({ project: true, everyFlag: true }),
    ['projects', 'organisationAudit', 'search', 'flags', ...ofProject],
    'a list of flags is read anew only for other environments',
  );
});

t.test('a burst of changes causes one reading', async (t) => {
  const first = joined(null, { ...nothing, flags: ['one'] });
  const second = joined(first, { ...nothing, position: '2.0', flags: ['two', 'one'], tokens: true });
  t.same(second, { ...nothing, position: '2.0', flags: ['one', 'two'], tokens: true });
});
