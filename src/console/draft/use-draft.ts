import { useEffect, useRef, useState } from 'react';
import { ConsoleError, conflictOf } from '../client/console-error.ts';
import { showFailure } from '../parts/notices.tsx';
import {
  type Clash,
  type Draft,
  draftChanges,
  draftValue,
  editDraft,
  type FieldChange,
  type Fields,
  newDraft,
  openClashes,
  rebaseDraft,
  yieldClashes,
} from './draft.ts';

/** A record's fields as they are stored at a revision. */
interface Stored {
  readonly fields: Fields;
  readonly revision: number;
}

export interface DraftHandle {
  readonly draft: Draft;
  readonly changes: readonly FieldChange[];
  /**
   * Fields that others have changed too, to other values: a person has to decide before the draft is saved, and can go
   * on editing until then.
   */
  readonly clashes: readonly Clash[];
  /** The decision is asked for. */
  readonly isDeciding: boolean;
  /** Others' changes to fields that this draft does not change, until it is saved or discarded. */
  readonly joined: readonly FieldChange[];
  /** Entries that are not valid for their field, as they were typed: the draft cannot be saved until they are corrected. */
  readonly unfit: Readonly<Record<string, string>>;
  value(key: string): unknown;
  /** Sets fields, and drops their invalid entries. */
  edit(changes: Fields): void;
  /** Keeps an entry that is not valid for its field. */
  keepUnfit(key: string, typed: string): void;
  discard(): void;
  /** Sets fields that have no edit, also some time later: if the page was left, a notice says that nothing was restored. */
  restore(edits: Fields): void;
  /** Takes over what was just stored. Edits of `keys` end: of a switch that acted at once, or all of them. */
  settle(stored: Stored, keys: readonly string[] | 'all'): void;
  /** Asks for the decision about the clashes, or no longer. */
  decide(isDeciding: boolean): void;
  /** Ends the clashes: this draft's values stay on top of the others', or the others' values replace these edits. */
  resolve(choice: 'mine' | 'theirs'): void;
  /** Takes over the present stored state from a refused save, and asks for a decision if there are clashes. */
  meet(stored: Stored): void;
}

interface DraftState {
  readonly draft: Draft;
  readonly clashes: readonly Clash[];
  readonly isDeciding: boolean;
  readonly joined: readonly FieldChange[];
  readonly unfit: Readonly<Record<string, string>>;
}

function fresh({ fields, revision }: Stored): DraftState {
  return { draft: newDraft(fields, revision), clashes: [], isDeciding: false, joined: [], unfit: {} };
}

/** Others' changes go into the draft's base. Of the same fields, both values are kept until a person decides. */
function met(state: DraftState, { fields, revision }: Stored): DraftState {
  const { draft, clashes: later, theirs } = rebaseDraft(state.draft, fields, revision);
  const clashes = openClashes(draft, state.clashes, later);
  const hasEdits = Object.keys(draft.edits).length > 0;
  return {
    ...{ draft, clashes },
    isDeciding: state.isDeciding && clashes.length > 0,
    joined: hasEdits ? [...state.joined, ...theirs] : [],
    unfit: without(state.unfit, (key) => !Object.hasOwn(fields, key)),
  };
}

function without<Value>(all: Readonly<Record<string, Value>>, isOut: (key: string) => boolean) {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !isOut(key)));
}

function edited(state: DraftState, changes: Fields): DraftState {
  const draft = editDraft(state.draft, changes);
  const unfit = without(state.unfit, (key) => Object.hasOwn(changes, key));
  return { ...state, draft, unfit, clashes: openClashes(draft, state.clashes) };
}

/**
 * Takes over the member's own change, which must not count as a change by others; theirs may have been stored before it.
 */
function settled(state: DraftState, stored: Stored, keys: readonly string[] | 'all'): DraftState {
  if (keys === 'all') return fresh(stored);
  const edits = Object.entries(state.draft.edits).filter(([key]) => !keys.includes(key));
  const own = keys.filter((key) => Object.hasOwn(stored.fields, key)).map((key) => [key, stored.fields[key]]);
  const base = { ...state.draft.base, ...Object.fromEntries(own) };
  return met({ ...state, draft: { ...state.draft, base, edits: Object.fromEntries(edits) } }, stored);
}

const pageLeft = new ConsoleError(0, 'Not restored', 'The page with these changes was left.', null);

/** Whether the calling component is still on the page: a notice's Undo outlives it. */
function useIsThere(): () => boolean {
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return () => isThere.current;
}

/** Edits of one record, kept while the page reads it again. */
export function useDraft(fields: Fields, revision: number): DraftHandle {
  const stored = { fields, revision };
  const [kept, setState] = useState(() => fresh(stored));
  const isThere = useIsThere();
  const [seen, setSeen] = useState(revision);
  if (revision !== seen) setSeen(revision);
  let state = kept;
  // After a restore from a backup, the stored state is older than the one that was seen.
  // An environment that was created or deleted changes no flag's revision.
  const isOther = Object.keys(fields).join() !== Object.keys(state.draft.base).join();
  if (revision > state.draft.revision || revision < seen || isOther) {
    state = met(state, stored);
    setState(state);
  }
  const { draft, clashes, isDeciding, joined, unfit } = state;
  const restore = (edits: Fields) => {
    if (!isThere()) return showFailure(pageLeft, { what: 'Undo' });
    setState((now) => {
      const known = Object.entries(edits).filter(([key]) => Object.hasOwn(now.draft.base, key));
      return edited(now, { ...Object.fromEntries(known), ...now.draft.edits });
    });
  };
  return {
    ...{ draft, clashes, isDeciding, joined, unfit },
    changes: draftChanges(draft),
    value: (key) => draftValue(draft, key),
    edit: (changes) => setState((now) => edited(now, changes)),
    keepUnfit: (key, typed) => setState((now) => ({ ...now, unfit: { ...now.unfit, [key]: typed } })),
    discard: () => setState((now) => fresh({ fields: now.draft.base, revision: now.draft.revision })),
    restore,
    settle: (next, keys) => setState((now) => settled(now, next, keys)),
    decide: (isDeciding) => setState((now) => ({ ...now, isDeciding: isDeciding && now.clashes.length > 0 })),
    resolve: (choice) =>
      setState((now) => ({
        ...now,
        draft: choice === 'mine' ? now.draft : yieldClashes(now),
        clashes: [],
        isDeciding: false,
        joined: [],
      })),
    meet: (next) => setState((now) => met({ ...now, isDeciding: true }, next)),
  };
}

/**
 * Saves a whole draft in one request.
 *
 * @param send returns the state that is then stored
 * @throws the error for the review; the draft then contains the state that was saved first
 */
export async function saveDraft<View>(
  { draft, settle, meet }: DraftHandle,
  storedOf: (view: View) => Stored,
  send: (draft: Draft) => Promise<View>,
): Promise<View> {
  try {
    const view = await send(draft);
    settle(storedOf(view), 'all');
    return view;
  } catch (error) {
    const current = conflictOf<View>(error);
    if (current !== null) meet(storedOf(current));
    throw error;
  }
}
