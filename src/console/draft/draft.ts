/** The editable fields of a record, flat: `1/enabled` is the switch of a flag in environment number 1. */
export type Fields = Readonly<Record<string, unknown>>;

export interface FieldChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Equality of JSON values whose objects have their members in the same order. */
function areSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** The fields that differ, in the order of `before`; those that only `after` has come last. */
export function changesBetween(before: Fields, after: Fields): FieldChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Array.from(keys, (key) => ({ key, before: before[key], after: after[key] })).filter(
    ({ before: left, after: right }) => !areSame(left, right),
  );
}

/** Unsaved edits, and the stored state on which they began. */
export interface Draft {
  readonly base: Fields;
  /** Revision of the base. A save sends it, so that the service refuses to overwrite a later change. */
  readonly revision: number;
  /** Only fields that differ from the base. */
  readonly edits: Fields;
}

/** A field that this draft and another member have changed, to different values. */
export interface Clash {
  readonly key: string;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

interface Rebased {
  /** The same edits on top of the present stored state; an edit that another member made too is dropped. */
  readonly draft: Draft;
  readonly clashes: readonly Clash[];
  /** Fields that others have changed and the draft has not. */
  readonly theirs: readonly FieldChange[];
}

export function newDraft(base: Fields, revision: number): Draft {
  return { base, revision, edits: {} };
}

/** A field that gets its old value back is no longer an edit. */
export function editDraft(draft: Draft, changes: Fields): Draft {
  const edits = Object.entries({ ...draft.edits, ...changes }).filter(
    ([key, value]) => !areSame(value, draft.base[key]),
  );
  return { ...draft, edits: Object.fromEntries(edits) };
}

export function draftValue(draft: Draft, key: string): unknown {
  return Object.hasOwn(draft.edits, key) ? draft.edits[key] : draft.base[key];
}

export function draftChanges(draft: Draft): FieldChange[] {
  return changesBetween(draft.base, { ...draft.base, ...draft.edits });
}

/** Drops the edits of fields that others have changed too; every other edit stays. */
export function yieldClashes({ draft, clashes }: Pick<Rebased, 'draft' | 'clashes'>): Draft {
  const theirs = new Set(clashes.map(({ key }) => key));
  const edits = Object.entries(draft.edits).filter(([key]) => !theirs.has(key));
  return { ...draft, edits: Object.fromEntries(edits) };
}

/**
 * Applies a draft's edits to the present stored state. The edit of a field whose environment was deleted is dropped.
 */
export function rebaseDraft(draft: Draft, base: Fields, revision: number): Rebased {
  const kept = Object.entries(draft.edits).filter(([key]) => Object.hasOwn(base, key));
  const rebased = editDraft(newDraft(base, revision), Object.fromEntries(kept));
  const theirs = changesBetween(draft.base, base);
  const clashes = theirs
    .filter(({ key }) => Object.hasOwn(rebased.edits, key))
    .map(({ key, before, after }) => ({ key, base: before, theirs: after, mine: rebased.edits[key] }));
  const others = theirs.filter(({ key }) => !Object.hasOwn(rebased.edits, key));
  return { draft: rebased, clashes, theirs: others };
}

/**
 * The clashes that the member has not decided yet: earlier ones keep the value on which the edit began, and end when
 * the edit does.
 */
export function openClashes(draft: Draft, earlier: readonly Clash[], later: readonly Clash[] = []): Clash[] {
  const found = new Map(earlier.map((clash) => [clash.key, clash]));
  for (const clash of later)
    found.set(clash.key, { ...clash, base: found.get(clash.key)?.base ?? clash.base });
  return Array.from(found.values())
    .filter(({ key }) => Object.hasOwn(draft.edits, key))
    .map((clash) => ({ ...clash, mine: draft.edits[clash.key] }));
}
