import t from 'tap';
import { firstFound, foundAgain, lostFlags, withStoredFlags } from '../../src/console/client/found-rows.ts';
import type { FlagPage } from '../../src/contracts/console/flag-views.ts';
import type { FoundFlagView, SearchResult } from '../../src/contracts/console/search-views.ts';

const isOn = { enabled: true, trafficPercentage: 100, cohortOverrideCount: null, audienceId: null };
const isOff = { ...isOn, enabled: false };

function flag(id: string, kind = isOn, revision = 1): FoundFlagView {
  const state = { environment: 2, name: 'production', isProtected: false, ...kind };
  const place = { projectId: 'shop', projectName: 'shop' };
  return { kind: 'flag', ...place, id, name: id, revision, cohortCount: 0, states: [state] };
}

function answer(...results: readonly SearchResult[]) {
  return { results: [...results], isComplete: true };
}

function page(id: string, kind = isOff, revision = 2): FlagPage {
  const row = { id, name: id, description: '', tags: [], cohortCount: 3, revision, updatedAt: 0 };
  return { environments: [1, 2], kinds: [isOn, kind], flags: [{ ...row, states: [0, 1] }], next: null };
}

function shown({ results }: ReturnType<typeof firstFound>): readonly string[] {
  return results.map((row) => {
    const state = row.kind === 'flag' ? row.states.map(({ enabled }) => (enabled ? 'on' : 'off')).join() : '';
    return `${row.name} ${state}${row.wasOn ? ', found on' : ''}`;
  });
}

const first = firstFound(answer(flag('a'), flag('b'), flag('c', isOff)));

t.test('rows keep their places when a search is answered again', async (t) => {
  t.same(shown(first), ['a on, found on', 'b on, found on', 'c off']);
  const again = answer(flag('d'), flag('c', isOn, 2), flag('b', isOn, 2));
  t.same(Array.from(lostFlags(first, again)), [['shop', ['a']]]);
  t.same(shown(foundAgain(first, again, [page('a')])), ['a off, found on', 'b on, found on', 'c on', 'd on']);
  t.same(shown(foundAgain(first, again, [])), ['b on, found on', 'c on', 'd on'], 'a deleted flag is gone');
});

t.test('an answer that is older than what is known changes nothing', async (t) => {
  const switched = withStoredFlags(first, page('a'));
  t.match(switched.results[0], { revision: 2, cohortCount: 3, states: [{ ...isOff, name: 'production' }] });
  t.same(shown(foundAgain(switched, answer(flag('a'), flag('b')), [])), [
    'a off, found on',
    'b on, found on',
  ]);
  t.strictSame(withStoredFlags(switched, page('a', isOn, 1)), switched);
});
