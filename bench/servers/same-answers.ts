import { Agent, get } from 'node:http';

/** An answer as its bytes on the wire show it. */
export interface AnswerShape {
  readonly status: number;
  /** Sorted, without those that say how long the body is. */
  readonly headers: readonly string[];
  /** `Content-Length` or `Transfer-Encoding`. */
  readonly framing: string;
  readonly body: Buffer;
}

const framingHeaders = ['content-length', 'transfer-encoding'];

/** Asks once, over a connection that a browser would keep open. */
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

/** A date is as long at any time. */
function withoutTime(line: string): string {
  return nameOf(line) === 'Date' ? 'Date' : line;
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':'));
}

/**
 * Makes sure, before anything is measured, that contenders send what is said of them: the same status and headers, and
 * bodies of as many bytes.
 *
 * @param mayFrameDifferently for long bodies, which Burgee sends in chunks: their headers may say the length otherwise
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
