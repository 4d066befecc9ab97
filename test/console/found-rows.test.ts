import t from 'tap';
import { type Found, foundRows } from '../../src/console/client/search.ts';
import type { FoundFlagView, SearchResult } from '../../src/contracts/console/search-views.ts';

function flag(id: string, enabled: boolean, revision = 1): FoundFlagView {
  const kind = { enabled, trafficPercentage: 100, cohortOverrideCount: null, audienceId: null };
  const state = { environment: 2, name: 'production', isProtected: false, ...kind };
  const place = { projectId: 'shop', projectName: 'shop' };
  return { kind: 'flag', ...place, id, name: id, revision, cohortCount: 0, states: [state] };
}

function answer(...results: readonly SearchResult[]) {
  return { results: [...results], isComplete: true };
}

function shown({ results }: Found): readonly string[] {
  return results.map((row) => {
    const state = row.kind === 'flag' ? row.states.map(({ enabled }) => (enabled ? 'on' : 'off')).join() : '';
    return `${row.name} ${state}${row.wasOn ? ', found on' : ''}`;
  });
}

t.test('rows keep their places when a search is answered again', async (t) => {
  const first = foundRows(answer(flag('a', true), flag('b', true), flag('c', false)), undefined);
  t.same(shown(first), ['a on, found on', 'b on, found on', 'c off']);
  const again = answer(flag('d', true), flag('c', true, 2), flag('b', false, 2));
  t.same(shown(foundRows(again, first)), ['b off, found on', 'c on', 'd on'], 'what is not found is gone');
});

t.test('a flag that was switched off stays, and its older state in an answer is ignored', async (t) => {
  const first = foundRows(answer(flag('a', true), flag('b', true)), undefined);
  const [a, b] = first.results;
  const switched = { ...first, results: [{ ...a, ...flag('a', false, 2), wasOn: true }, b] } as Found;
  t.same(shown(foundRows(answer(flag('b', true)), switched)), ['a off, found on', 'b on, found on']);
  t.same(shown(foundRows(answer(flag('a', true), flag('b', true)), switched)), [
    'a off, found on',
    'b on, found on',
  ]);
});
