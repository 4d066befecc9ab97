import { once } from './once.ts';

/*
 * A name may hold invisible characters, or ones that reverse the text: with U+202E "evil" reads "live". They are
 * shown as marks like ⟨U+202E⟩. Not marked are the joiners and selectors that emoji and some scripts are written with.
 */

/** A piece of a shown name. */
export interface NamePart {
  readonly text: string;
  /** It replaces a character that cannot be seen. */
  readonly isMark: boolean;
}

const oneEmoji = String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?(?:[\u{E0020}-\u{E007E}]+\u{E007F})?`;
/** Letters of scripts that join: in Latin, Greek, Cyrillic and Chinese text a joiner changes nothing that one sees. */
const joiningLetter = String.raw`(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}])[\p{L}\p{M}]`;
/** Sequences that need the invisible characters in them. */
const whole = [
  String.raw`${oneEmoji}(?:\u200D${oneEmoji})*`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  String.raw`\p{sc=Han}[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
  String.raw`${joiningLetter}[\u200C\u200D](?=${joiningLetter})`,
];
/** U+2800 is a blank pattern of Braille. */
const hidden = String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;
/** Printable ASCII: nothing in it is hidden. Most names are of it, and need none of Unicode's tables. */
const isPlain = /^[ -~]*$/;
const anyHidden = once(() => new RegExp(hidden, 'u'));
const pieces = once(() => new RegExp(`(?:${whole.join('|')}|(?!${hidden})[^])+|${hidden}`, 'gu'));

/** @returns the name in pieces, in order: its text, and a mark for each hidden character */
export function nameParts(name: string): readonly NamePart[] {
  if (isPlain.test(name) || !anyHidden().test(name)) return [{ text: name, isMark: false }];
  const found = name.match(pieces()) ?? [];
  return found.map((text) =>
    isHidden(text) ? { text: markOf(text), isMark: true } : { text, isMark: false },
  );
}

/** A name as plain text, for titles, labels and notices. */
export function visibleName(name: string): string {
  return nameParts(name)
    .map(({ text }) => text)
    .join('');
}

/** Whether a name has invisible characters, or ones that reverse the text. */
export function hasHiddenCharacter(name: string): boolean {
  return nameParts(name).some(({ isMark }) => isMark);
}

function isHidden(piece: string): boolean {
  return anyHidden().test(piece) && Array.from(piece).length === 1;
}

function markOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `⟨U+${code}⟩`;
}
