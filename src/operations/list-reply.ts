import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { type Outcome, succeed } from '../domain/outcome.ts';
import type { Steps } from '../support/steps.ts';
import { pausing } from '../support/text-pieces.ts';
import type { Shown } from './operation.ts';

/** `{"name": [items]}`, item by item. A null means that no item is ready yet: the worker serves other requests meanwhile. */
export function listReply(name: string, items: Iterable<object | null>): Outcome<Shown, ConsoleProblem> {
  return succeed({ pieces: { contentType: 'application/json', text: listPieces(name, items) } });
}

function* listPieces(name: string, items: Iterable<object | null>): Generator<string> {
  let opening = `{${JSON.stringify(name)}:[`;
  for (const item of items) {
    yield item === null ? '' : opening + JSON.stringify(item);
    if (item !== null) opening = ',';
  }
  yield opening === ',' ? ']}' : `${opening}]}`;
}

/** One value as JSON, made in steps: other requests are served between them. */
export function slowReply(steps: Steps<object>): Outcome<Shown, ConsoleProblem> {
  return succeed({ pieces: { contentType: 'application/json', text: valuePieces(steps) } });
}

function* valuePieces(steps: Steps<object>): Generator<string> {
  yield JSON.stringify(yield* pausing(steps));
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The items by name (UTF-8 order), then id, in the order of lists of flags. */
export function byName<Item extends Named>(items: readonly Item[]): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: Buffer.from(`${item.name}\0${item.id}`) }));
  return keyed.sort((one, other) => Buffer.compare(one.key, other.key)).map(({ item }) => item);
}
