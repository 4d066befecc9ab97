import type { Flag } from '../flag/flag.ts';
import type { ProblemList } from '../problem-list.ts';
import type { Project } from '../project/project.ts';

/** A header that lists entity tags (RFC 9110, `If-Match` and `If-None-Match`). */
export interface TagCondition {
  /** `*`: any tag. */
  readonly isAny: boolean;
  readonly tags: readonly EntityTag[];
}

type Revised = Pick<Flag, 'revision'>;

interface EntityTag {
  readonly isWeak: boolean;
  /** Between the quotes, without the suffix of a content coding. */
  readonly opaque: string;
}

/**
 * The tag of a flag's representation: its revision, then its project's environments revision. One of them changes with
 * everything that a representation shows, and neither depends on the token. If a representation ever shows more, it
 * needs another tag.
 */
export function flagEntityTag({ revision }: Revised, { environmentsRevision }: Project): string {
  return `"${revision}-${environmentsRevision}"`;
}

/**
 * One piece of a list: white space, a comma, or a tag. Each is matched at the end of the last one, so the time is
 * linear.
 */
const piece = /[ \t]+|(,)|(W\/)?"([\x21\x23-\x7e\u0080-\u{10ffff}]*)"/uy;

/** Apache's modules, among others, put the coding of a compressed answer into its tag: `"5-2-gzip"`. */
const codingSuffix = /(?:--?|;)(?:gzip|br|zstd|deflate)$/;

/** @returns null when the header is malformed. */
export function parseTagCondition(header: string): TagCondition | null {
  if (header.trim() === '*') return { isAny: true, tags: [] };
  const tags: EntityTag[] = [];
  let isTagDue = true;
  let at = 0;
  while (at < header.length) {
    piece.lastIndex = at;
    const match = piece.exec(header);
    if (match === null) return null;
    at = piece.lastIndex;
    const [, comma, weak, opaque] = match;
    if (opaque !== undefined) {
      if (!isTagDue) return null;
      tags.push({ isWeak: weak !== undefined, opaque: opaque.replace(codingSuffix, '') });
      isTagDue = false;
    } else if (comma !== undefined) isTagDue = true;
  }
  return tags.length === 0 ? null : { isAny: false, tags };
}

/**
 * Whether the client's representation is the one that it would get (`If-None-Match`, weak comparison). A malformed
 * header counts as absent: the answer is then given whole, which is always right.
 */
export function isRevalidated(header: string | null, flag: Revised, project: Project): boolean {
  return header !== null && hasTag(header, flagEntityTag(flag, project));
}

/** @param tag in quotes @returns whether `If-None-Match` names the tag */
export function hasTag(header: string, tag: string): boolean {
  const condition = parseTagCondition(header);
  if (condition === null) return false;
  return condition.isAny || condition.tags.some(({ opaque }) => `"${opaque}"` === tag);
}

/** @param problems receives one when the header is malformed: an unreadable condition must not let a change through. */
export function readIfMatch(header: string | null, problems: ProblemList): TagCondition | null {
  if (header === null) return null;
  const condition = parseTagCondition(header);
  if (condition === null) {
    problems.add(() => 'the header If-Match must be * or a list of entity tags in double quotes');
  }
  return condition;
}

/**
 * Whether `If-Match` lets a change through: one of its tags must name the flag's present revision (strong comparison,
 * so a weak tag never does). The environments revision is ignored: renaming an environment does not change the flag.
 */
export function permitsRevision(condition: TagCondition, flag: Revised): boolean {
  const isCurrent = ({ isWeak, opaque }: EntityTag) =>
    !isWeak && revisionIn(opaque) === String(flag.revision);
  return condition.isAny || condition.tags.some(isCurrent);
}

function revisionIn(opaque: string): string | undefined {
  return /^([1-9]\d*)-\d+$/.exec(opaque)?.[1];
}
