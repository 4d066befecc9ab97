import { useState } from 'react';
import { conflictOf } from '../client/console-error.ts';
import {
  type Draft,
  draftChanges,
  draftValue,
  editDraft,
  type FieldChange,
  type Fields,
  newDraft,
  type Rebased,
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
  /** Both versions, when others have changed a field that this draft changes; null while there is nothing to decide. */
  readonly conflict: Rebased | null;
  /** Others' changes to fields that this draft does not change, until it is saved or discarded. */
  readonly joined: readonly FieldChange[];
  value(key: string): unknown;
  edit(changes: Fields): void;
  discard(): void;
  /** Takes over what was just stored. Edits of `keys` end: of a switch that acted at once, or all of them. */
  settle(stored: Stored, keys: readonly string[] | 'all'): void;
  /**
   * Ends a conflict: this draft stays on top of the others' changes, or the others' values replace its edits of the
   * same fields.
   */
  resolve(choice: 'mine' | 'theirs'): void;
  /** Takes over the present stored state from a refused save. */
  meet(stored: Stored): void;
}

interface DraftState {
  readonly draft: Draft;
  readonly conflict: Rebased | null;
  readonly joined: readonly FieldChange[];
}

function fresh({ fields, revision }: Stored): DraftState {
  return { draft: newDraft(fields, revision), conflict: null, joined: [] };
}

/** Others' changes go into the draft's base. If they are of the same fields, a person has to decide. */
function met(state: DraftState, { fields, revision }: Stored): DraftState {
  const rebased = rebaseDraft(state.draft, fields, revision);
  if (rebased.clashes.length > 0) return { ...state, conflict: rebased };
  const hasEdits = Object.keys(rebased.draft.edits).length > 0;
  return {
    draft: rebased.draft,
    conflict: null,
    joined: hasEdits ? [...state.joined, ...rebased.theirs] : [],
  };
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

/** Edits of one record, kept while the page reads it again. */
export function useDraft(fields: Fields, revision: number): DraftHandle {
  const stored = { fields, revision };
  const [kept, setState] = useState(() => fresh(stored));
  let state = kept;
  if (revision > (state.conflict?.draft.revision ?? state.draft.revision)) {
    state = met(state, stored);
    setState(state);
  }
  const { draft, conflict, joined } = state;
  return {
    draft,
    changes: draftChanges(draft),
    conflict,
    joined,
    value: (key) => draftValue(draft, key),
    edit: (changes) => setState((now) => ({ ...now, draft: editDraft(now.draft, changes) })),
    discard: () => setState((now) => fresh({ fields: now.draft.base, revision: now.draft.revision })),
    settle: (next, keys) => setState((now) => settled(now, next, keys)),
    resolve: (choice) =>
      setState((now) => {
        if (now.conflict === null) return now;
        const { conflict } = now;
        const chosen = choice === 'mine' ? conflict.draft : yieldClashes(conflict);
        return { draft: chosen, conflict: null, joined: [] };
      }),
    meet: (next) => setState((now) => met(now, next)),
  };
}

/**
 * Saves a whole draft in one request.
 *
 * @param send returns what is then stored
 * @throws what the review shows; then the draft contains what somebody else has saved first
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
