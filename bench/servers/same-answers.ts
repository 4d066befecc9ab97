import { Agent, get } from 'node:http';

/** An answer as it is on the wire. */
export interface AnswerShape {
  readonly status: number;
  /** Header lines, sorted, without those that give the body's length. */
  readonly headers: readonly string[];
  /** `Content-Length` or `Transfer-Encoding`. */
  readonly framing: string;
  readonly body: Buffer;
}

const framingHeaders = ['content-length', 'transfer-encoding'];

/** Sends one request on a kept connection. */
export function readAnswer(origin: string, path: string): Promise<AnswerShape> {
  const agent = new Agent({ keepAlive: true });
  return new Promise<AnswerShape>((resolve, reject) => {
    get(`${origin}${path}`, { agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.once('error', reject);
      response.once('end', () => {
        const lines = headerLines(response.rawHeaders);
        const isFraming = (line: string): boolean => framingHeaders.includes(nameOf(line).toLowerCase());
        resolve({
          status: response.statusCode ?? 0,
          headers: lines
            .filter((line) => !isFraming(line))
            .map(withoutTime)
            .sort(),
          framing: nameOf(lines.find(isFraming) ?? ''),
          body: Buffer.concat(pieces),
        });
      });
    }).once('error', reject);
  }).finally(() => agent.destroy());
}

function headerLines(raw: readonly string[]): string[] {
  return Array.from({ length: raw.length / 2 }, (_unused, at) => `${raw[at * 2]}: ${raw[at * 2 + 1]}`);
}

/** Values of `Date` differ, but always have the same length. */
function withoutTime(line: string): string {
  return nameOf(line) === 'Date' ? 'Date' : line;
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':'));
}

/**
 * Checks before measuring that all contenders send the same status and headers, and bodies of the same length.
 *
 * @param mayFrameDifferently for long bodies, which Burgee sends in chunks: the headers may then give the length
 *   differently
 * @throws Error with the difference
 */
export async function checkSameAnswers(
  path: string,
  origins: Readonly<Record<string, string>>,
  mayFrameDifferently = false,
): Promise<void> {
  const described: [string, string][] = [];
  for (const [name, origin] of Object.entries(origins)) {
    const { status, headers, framing, body } = await readAnswer(origin, path);
    const lines = mayFrameDifferently ? headers : [...headers, framing];
    described.push([name, `${status}, ${body.length} bytes, ${lines.join(', ')}`]);
  }
  const [first] = described;
  const other = described.find(([, text]) => text !== first?.[1]);
  if (first === undefined || other === undefined) return;
  throw new Error(`${path} is answered differently:\n${first.join(': ')}\n${other.join(': ')}`);
}
