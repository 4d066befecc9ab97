import type { Random } from '../../support/random.ts';

/** The targets of a case's requests. */
export interface FramingTargets {
  readonly flag: string;
  readonly projectId: string;
  readonly secret: string;
}

/** The bytes of one connection, with their faults and exceptions. */
export interface FramingCase {
  /** Latin-1. */
  readonly bytes: string;
  /** Where the bytes are cut: the second part is sent when the first has been answered. Null: all are sent at once. */
  readonly cut: number | null;
  /** The known exceptions that apply to each message, in order (`known-exceptions.ts`). */
  readonly touches: readonly (readonly string[])[];
}

interface Message {
  readonly bytes: string;
  readonly touches: readonly string[];
}

/** A way to write a header line or a chunk, and the exception that applies to it. */
interface Writing {
  readonly text: string;
  readonly touches?: string;
}

const methods = ['GET', 'GET', 'PATCH', 'PATCH', 'POST', 'PUT', 'OPTIONS', 'DELETE'];
const oddMethods = ['get', 'Patch', 'FOO', 'M-SEARCH', 'G@T', '', 'GET\t', '"GET"'];
const versions = ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', '', 'HTTP/01.1', 'HTTP/1.1\t'];
const spaces = ['  ', '\t', '', ' \t'];
const lineEnds = ['\n', '\r', '\r\r\n', '\n\r\n', ' \r\n', '\0\r\n'];
const proxyHeader = '\r\n\r\n\0\r\nQUIT\n!\x11\0\x0c\x01\x02\x03\x04\x05\x06\x07\x08\0P\0P';

/** Values that mean `length`, or seem to. */
function lengthValues(length: number): readonly Writing[] {
  const text = String(length);
  const plain = ['', ' ', `+${text}`, `-${text}`, `0${text}`, `${text}, ${text}`, `${text},`, `0x${text}`];
  const more = [`${text}.0`, `${text} 0`, `${text}_0`, `"${text}"`, `${text}e0`, '18446744073709551617', 'x'];
  const trimmed = [`\xa0${text}`, `${text}\xff`].map((value) => ({ text: value, touches: 'trimmed-bytes' }));
  return [...[...plain, ...more].map((value) => ({ text: value })), ...trimmed];
}

const encodingValues: readonly Writing[] = [
  ...[
    '',
    'xchunked',
    'chunked, identity',
    'identity',
    'gzip, chunked',
    'chunked;q=1',
    '"chunked"',
    'chunked,',
  ].map((text) => ({ text })),
  ...[',chunked', 'Chunked', 'chunked chunked', 'chunked\t', '\tchunked'].map((text) => ({ text })),
  { text: '\xa0chunked', touches: 'trimmed-bytes' },
];

const oddLines: readonly Writing[] = [
  { text: ': hidden', touches: 'nameless-line' },
  ...['X-Odd : 1', 'X Odd: 1', ' X-Odd: 1', 'X-Odd', 'X-Odd: a\r\n b', 'X-Odd: a\rb', 'X-Odd: a\0b'].map(
    (text) => ({
      text,
    }),
  ),
  ...['X(Odd: 1', 'X-\xe9: 1', 'X-Odd: a\x01b', 'X-Odd: \xe9', 'Host: other', 'Connection: keep-alive'].map(
    (text) => ({ text }),
  ),
  { text: 'X-Odd: a\x7fb', touches: 'delete-byte' },
  ...['Content_Length: 5', 'Content-Length\t: 5', 'Transfer-Encoding : chunked'].map((text) => ({
    text,
  })),
];

/** What may come where a parser expects the rest of a chunk. */
const chunkFaults: readonly string[] = [
  'XX',
  '\n',
  '\r',
  '',
  ';name=value\r\n',
  ' \r\n',
  'g\r\n',
  '\r\nX-Trailer: 1\r\n',
];

/** @returns a case of one to three messages, each with up to two faults */
export function createFramingCase(random: Random, targets: FramingTargets): FramingCase {
  const messages = Array.from({ length: random.integer(1, 3) }, () => createMessage(random, targets));
  const isProxied = random.chance(0.02);
  const bytes = `${isProxied ? proxyHeader : ''}${messages.map((message) => message.bytes).join('')}`;
  const touches = messages.map((message) => message.touches);
  return {
    bytes,
    cut: random.chance(0.5)
      ? random.pick([messages[0]?.bytes.length ?? 0, random.integer(1, bytes.length)])
      : null,
    touches: isProxied ? touches.map((names) => [...names, 'proxy-header']) : touches,
  };
}

function createMessage(random: Random, targets: FramingTargets): Message {
  const isFaulty = random.chance(0.4);
  const touches: string[] = [];
  const use = ({ text, touches: touched }: Writing): string => {
    if (touched !== undefined) touches.push(touched);
    return text;
  };
  const often = (probability: number): boolean => isFaulty && random.chance(probability);
  const method = often(0.08) ? random.pick(oddMethods) : random.pick(methods);
  const target = random.pick([
    `/v1/flags/${targets.flag}?targetingKey=a`,
    `/v1/flags/${targets.flag}`,
    `/v1/flags/project/${targets.projectId}`,
    `/api/v1/flags/${targets.flag}`,
    '/api/v1/token',
    '/ofrep/v1/evaluate/flags/x',
    `/projects/${targets.projectId}/ofrep/v1/evaluate/flags`,
    `/sync/v1/${targets.projectId}`,
    '/console/api/session',
    '/health',
    '/nothing',
  ]);
  const { lines, body } = createBody(random, targets, often, use);
  const hosts = often(0.08)
    ? random.pick([[], ['Host: localhost', 'Host: localhost'], ['Host:']])
    : ['Host: localhost'];
  const token = random.chance(0.6) ? [`Authorization: Bearer ${targets.secret}`] : [];
  const odd = often(0.3) ? [use(random.pick(oddLines))] : [];
  const headers = random.shuffle([...hosts, ...token, ...odd, ...shuffledWhole(lines)]);
  const [space, version] = often(0.1) ? [random.pick(spaces), random.pick(versions)] : [' ', 'HTTP/1.1'];
  const all = [`${method}${random.chance(0.5) ? ' ' : space}${target}${space}${version}`, ...headers];
  const oddEnd = often(0.08) ? random.integer(0, all.length) : -1;
  const head = all
    .map((line, index) => `${line}${index === oddEnd ? random.pick(lineEnds) : '\r\n'}`)
    .join('');
  return { bytes: `${head}${oddEnd === all.length ? '\n' : '\r\n'}${body}`, touches };
}

/** Lines that give the body's length keep their order: one parser uses the first, another the last. */
function shuffledWhole(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [lines.join('\r\n')];
}

interface Body {
  readonly lines: readonly string[];
  readonly body: string;
}

function createBody(
  random: Random,
  targets: FramingTargets,
  often: (probability: number) => boolean,
  use: (writing: Writing) => string,
): Body {
  const content = createContent(random, targets);
  const kind = random.pick(['none', 'length', 'length', 'chunks', 'chunks']);
  if (kind === 'none') return { lines: [], body: often(0.2) ? content : '' };
  if (kind === 'length') {
    const right = `Content-Length: ${content.length}`;
    const wrong = (): string => `Content-Length: ${use(random.pick(lengthValues(content.length)))}`;
    const others = (): string[] => [wrong(), 'Transfer-Encoding: chunked', 'Content-Length: 0', right];
    const lines = often(0.4)
      ? random.pick([[wrong()], [random.pick(others()), right], [right, random.pick(others())]])
      : [right];
    return { lines, body: content };
  }
  const right = 'Transfer-Encoding: chunked';
  const wrong = (): string => `Transfer-Encoding: ${use(random.pick(encodingValues))}`;
  const others = (): string[] => [wrong(), 'Content-Length: 3', 'Content-Length:', right];
  const lines = often(0.3)
    ? random.pick([[wrong()], [random.pick(others()), right], [right, random.pick(others())]])
    : [right];
  return { lines, body: inChunks(random, content, often, use) };
}

/** A body: a change, or a complete request that must not be read as a request. */
function createContent(random: Random, { flag, secret }: FramingTargets): string {
  const off = '{"enabled":false}';
  return random.pick([
    '{"enabled":true}',
    '{}',
    `GET /v1/flags/${flag}?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `PATCH /api/v1/flags/${flag} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nContent-Length: ${off.length}\r\n\r\n${off}`,
  ]);
}

function inChunks(
  random: Random,
  content: string,
  often: (probability: number) => boolean,
  use: (writing: Writing) => string,
): string {
  const middle = random.integer(1, content.length);
  const parts = [content.slice(0, middle), content.slice(middle)].filter((part) => part !== '');
  const fault = (): string =>
    often(0.15) ? use({ text: random.pick(chunkFaults), touches: 'chunks' }) : '\r\n';
  const size = (length: number): string => {
    const text = length.toString(16);
    const odd = [`0${text}`, text.toUpperCase(), `0x${text}`, `+${text}`, ` ${text}`, ''];
    return often(0.1) ? use({ text: random.pick(odd), touches: 'chunks' }) : text;
  };
  const written = parts.map((part) => `${size(part.length)}${fault()}${part}${fault()}`);
  return `${written.join('')}0${fault()}${fault()}`;
}
