/**
 * Header lines prepared to be written at once. For every header uWebSockets.js crosses from JavaScript to the addon. A
 * block crosses once, because the lines after the first are part of the first one's value. Names and values are checked
 * here, so that no input can start a line of its own.
 */
export interface HeaderBlock {
  readonly name: string;
  readonly value: string;
}

const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const fieldValue = /^[\t\x20-\x7e]*$/;

type HeaderLine = readonly [name: string, value: string];

/**
 * uWebSockets.js closes a connection that has been idle for 8 to 12 s, or for 30 s in later releases. Clients that read
 * this header close it first, so that no request meets a connection that is being closed.
 */
const keepAlive: HeaderLine = ['Keep-Alive', 'timeout=5'];

/** @throws RangeError when a name or value is not allowed in a header line. */
export function headerBlock(lines: readonly HeaderLine[]): HeaderBlock {
  for (const line of lines) checkLine(line);
  const [first, ...rest] = lines;
  if (first === undefined) throw new RangeError('a header block has at least one line');
  return {
    name: first[0],
    value: [first[1], ...[...rest, keepAlive].map(([name, value]) => `${name}: ${value}`)].join('\r\n'),
  };
}

/** The block with one more line. @throws RangeError when its name or value is not allowed in a header line. */
export function extendHeaderBlock(block: HeaderBlock, name: string, value: string): HeaderBlock {
  checkLine([name, value]);
  return { name: block.name, value: `${block.value}\r\n${name}: ${value}` };
}

function checkLine([name, value]: HeaderLine): void {
  if (!fieldName.test(name)) throw new RangeError(`not a header name: ${JSON.stringify(name)}`);
  if (!fieldValue.test(value)) throw new RangeError(`not a value for the header ${name}`);
}
