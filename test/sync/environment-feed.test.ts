import t, { type Test } from 'tap';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { soleEnvironment } from '../../src/domain/project/project.ts';
import { StoreVersion } from '../../src/support/store-version.ts';
import { EnvironmentFeed } from '../../src/worker/sync/environment-feed.ts';
import type { EnvironmentListener } from '../../src/worker/sync/environment-watch.ts';
import { KeptRoom } from '../../src/worker/sync/kept-room.ts';
import { PinnedState } from '../../src/worker/sync/settled-state.ts';
import { audienceOf, creationOf, flagChangeOf, flagOf, projectOf } from '../storage/support/records.ts';
import { newStore } from '../storage/support/sample-store.ts';

/** A feed of a store with one flag, which is told of changes when the test says so. */
function stage(test: Test, room = new KeptRoom()) {
  const { store, reader, version } = newStore(test);
  const project = projectOf('o'.repeat(20));
  const audiences = [audienceOf(project.id, { name: 'A' }), audienceOf(project.id, { name: 'B' })];
  let flag: Flag | null = null;
  store.write(({ apply }) =>
    apply([creationOf('project', project), ...audiences.map((one) => creationOf('audience', one))]),
  );
  const pin = (): PinnedState => {
    reader.renew();
    return new PinnedState(reader, new StoreVersion(version));
  };
  const apply = (audienceId: string | null): void => {
    const before = flag;
    const state = { enabled: true, trafficPercentage: 100, cohortOverride: null, audienceId };
    const states = new Map([[soleEnvironment, state]]);
    const after = flagOf(project.id, { ...before, states, revision: (before?.revision ?? 0) + 1 });
    store.write((writing) => writing.apply([flagChangeOf(before, after)]));
    flag = after;
  };
  apply(audiences[0]?.id ?? '');
  const told: EnvironmentListener[] = [];
  const feed = new EnvironmentFeed(
    {
      projectId: project.id,
      accountId: project.organisationId,
      environmentNumber: soleEnvironment,
      name: null,
    },
    {
      watch: (_project, _environment, listener) => {
        told.push(listener);
        const { history, number } = pin();
        return { history, number, version: number, end: () => undefined };
      },
    },
    room,
    { onMoved: () => undefined, onProjectChange: () => undefined },
  );
  const positionOf = ({ history, number }: PinnedState) => ({ history, number });
  return { feed, audiences, apply, pin, reader, positionOf, listener: told[0] as EnvironmentListener };
}

t.test('what was read before a restart is not taken for what is applied after it', (test) => {
  const { feed, audiences, apply, pin, reader, positionOf, listener } = stage(test);
  const [, other] = audiences.map(({ id }) => id);
  const begun = pin();
  apply(audiences[0]?.id ?? '');
  const earlier = pin();
  const tell = (state: PinnedState, changes: ReturnType<typeof reader.changesSince>): void =>
    listener.onChange({ state, version: state.number, changes });
  tell(earlier, reader.changesSince(reader.sequence() - 1));
  const known = positionOf(begun);
  const making = feed.content(feed.needOf(known) ?? '', known, earlier);
  making.next();
  // More changed than is listed, and with it the audience of the flag.
  apply(other ?? '');
  const present = pin();
  tell(present, null);
  let step = making.next();
  while (step.done !== true) step = making.next();
  test.equal(step.value.event, 'snapshot', 'what the client has missed is not known any more');
  apply(null);
  const last = pin();
  tell(last, reader.changesSince(reader.sequence() - 1));
  const position = positionOf(present);
  const delta = feed.content(feed.needOf(position) ?? '', position, last);
  let made = delta.next();
  while (made.done !== true) made = delta.next();
  const text = Buffer.concat(Array.from(made.value.pieces, (piece) => Buffer.from(piece))).toString();
  test.equal(made.value.event, 'delta');
  const data = JSON.parse(text.slice(text.indexOf('data: ') + 6));
  test.ok(data.removedAudiences.includes(other), 'the audience that the flag had let go of is removed');
  test.end();
});

/** Makes all steps. */
function finish<T>(steps: Generator<unknown, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

t.test('what finds no room is made again, and says the same', (test) => {
  const seen = [new KeptRoom(), new KeptRoom(0)].map((room) => {
    const { feed, audiences, apply, pin, reader, positionOf, listener } = stage(test, room);
    const [one, other] = audiences.map(({ id }) => id);
    const begun = positionOf(pin());
    const change = (audience: string | null) => {
      apply(audience);
      const state = pin();
      listener.onChange({
        state,
        version: state.number,
        changes: reader.changesSince(reader.sequence() - 1),
      });
      return state;
    };
    const make = (state: PinnedState, from: typeof begun) => {
      const key = feed.needOf(from) ?? '';
      const made = finish(feed.make(key, from, state));
      if (made === 'long') throw new Error('an event of two flags is short');
      return { event: made.event, isKept: feed.find(key) !== null };
    };
    const first = make(change(other ?? ''), begun);
    const heldBytes = room.heldBytes;
    const second = make(change(one ?? ''), begun);
    feed.close();
    return { first, second, holds: heldBytes > 0, left: room.heldBytes };
  });
  const delta = { event: 'delta', isKept: true };
  const snapshot = { event: 'snapshot', isKept: false };
  test.same(seen, [
    { first: delta, second: delta, holds: true, left: 0 },
    { first: snapshot, second: snapshot, holds: false, left: 0 },
  ]);
  test.end();
});

t.test('a feed that is closed while it makes an event keeps nothing', (test) => {
  const room = new KeptRoom();
  const { feed, pin } = stage(test, room);
  feed.close();
  const made = finish(feed.make('snapshot', null, pin()));
  test.not(made, 'long');
  test.equal(feed.find('snapshot'), null);
  test.equal(room.heldBytes, 0);
  test.end();
});

/** Takes all of the room. @returns gives it back */
function fill(room: KeptRoom): () => void {
  const holds = Array.from({ length: 40 }, (_unused, index) => {
    const hold = room.hold({ projectId: `p${index}`, accountId: `a${index}` });
    for (let bytes = 64 * 1024; bytes > 0 && !hold.resize(bytes); ) bytes -= 16;
    return hold;
  });
  return () => {
    for (const hold of holds) hold.end();
  };
}

t.test('a delta that waited while changes were forgotten for others becomes a snapshot', (test) => {
  const room = new KeptRoom(64 * 1024);
  const { feed, audiences, apply, pin, reader, positionOf, listener } = stage(test, room);
  const change = (audience: string | null) => {
    apply(audience);
    const state = pin();
    listener.onChange({ state, version: state.number, changes: reader.changesSince(reader.sequence() - 1) });
    return state;
  };
  const known = positionOf(pin());
  change(audiences[1]?.id ?? '');
  const key = feed.needOf(known) ?? '';
  test.not(key, 'snapshot');
  fill(room);
  const last = change(null);
  const content = finish(feed.content(key, known, last));
  test.equal(content.event, 'snapshot');
  content.pieces.return(undefined);
  test.end();
});

t.test('a search that goes on while changes are forgotten for others has found nothing', (test) => {
  const room = new KeptRoom(64 * 1024);
  const { feed, audiences, apply, pin, reader, positionOf, listener } = stage(test, room);
  const old = positionOf(pin());
  const ids = audiences.map(({ id }) => id);
  for (let round = 0; round < 150; round += 1) apply(ids[round % 2] ?? '');
  const present = pin();
  listener.onChange({ state: present, version: present.number, changes: null });
  const search = feed.search(pin(), old);
  test.notOk(search.next().done, 'it is done in steps');
  const giveBack = fill(room);
  apply(null);
  const last = pin();
  listener.onChange({
    state: last,
    version: last.number,
    changes: reader.changesSince(reader.sequence() - 1),
  });
  giveBack();
  test.notOk(finish(search));
  test.equal(feed.needOf(positionOf(present)), 'snapshot', 'the change is not passed over');
  test.end();
});
