/** The editable fields of a thing, flat: `1/enabled` is the switch of a flag in environment number 1. */
export type Fields = Readonly<Record<string, unknown>>;

export interface FieldChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Equality of JSON values whose objects have their members in one order. */
function areSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

/** What differs, in the order of `before`; what only `after` has comes last. */
export function changesBetween(before: Fields, after: Fields): FieldChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Array.from(keys, (key) => ({ key, before: before[key], after: after[key] })).filter(
    ({ before: left, after: right }) => !areSame(left, right),
  );
}

/** Edits that are not saved yet, and what they started from. */
export interface Draft {
  readonly base: Fields;
  /** Of the base. A save names it, so that the service refuses to overwrite a later change. */
  readonly revision: number;
  /** Only fields that differ from the base. */
  readonly edits: Fields;
}

/** A field that both this draft and somebody else have changed, to different values. */
interface Clash {
  readonly key: string;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

export interface Rebased {
  /** The same edits on top of what is stored now; an edit that somebody else made too is gone from it. */
  readonly draft: Draft;
  readonly clashes: readonly Clash[];
  /** What others have changed and the draft has not. */
  readonly theirs: readonly FieldChange[];
}

export function newDraft(base: Fields, revision: number): Draft {
  return { base, revision, edits: {} };
}

/** A field that gets its old value back is no edit any more. */
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

/** Gives way to others where both have changed the same field; every other edit stays. */
export function yieldClashes({ draft, clashes }: Rebased): Draft {
  const theirs = new Set(clashes.map(({ key }) => key));
  const edits = Object.entries(draft.edits).filter(([key]) => !theirs.has(key));
  return { ...draft, edits: Object.fromEntries(edits) };
}

/** Puts a draft's edits on what is stored now. A field that is gone, with its environment, takes its edit along. */
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
