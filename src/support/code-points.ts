/** Lengths in messages count code points, so that an emoji is one character and not two. */
export function codePointCount(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) {
      pairs++;
      at++;
    }
  }
  return text.length - pairs;
}

/** Whether the text has at most `max` code points. For a very long text its length alone decides. */
export function hasAtMostCodePoints(text: string, max: number): boolean {
  if (text.length <= max) return true;
  return text.length <= 2 * max && codePointCount(text) <= max;
}

/** @returns the text, or its first `max` code points and an ellipsis. */
export function cutAt(text: string, max: number): string {
  if (hasAtMostCodePoints(text, max)) return text;
  const points = Array.from(text.slice(0, 2 * max));
  return `${points.slice(0, max).join('')}…`;
}

/** Whether the text can be written as UTF-8: it has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** @returns the text with each lone surrogate replaced by U+FFFD, as an encoder would do. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
