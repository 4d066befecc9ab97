import t from 'tap';
import { AnswerReader } from '../../../bench/load/answer-reader.ts';

const sized = 'HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 11\r\nX-Content: 7\r\n\r\n{"on":true}';
const chunked =
  'HTTP/1.1 404 Not Found\r\nTRANSFER-ENCODING: chunked\r\n\r\n' +
  'A;name=value\r\n0123456789\r\n1\r\n\n\r\n0\r\nTrailer: yes\r\n\r\n';
const withoutBody = 'HTTP/1.1 204 No Content\r\ncontent-type: text/plain\r\n\r\n';

/** Gives a reader the pieces in turn, in a buffer that is overwritten each time. */
function readPieces(reader: AnswerReader, pieces: readonly string[]): number[] {
  const bytes = Buffer.alloc(4096, 'HTTP/1.1 500 stale\r\n\r\n');
  return pieces.map((piece) => reader.read(bytes, bytes.write(piece, 'latin1')));
}

t.test('an answer is complete at its last byte, for every split of its reads', async (t) => {
  for (const [answer, status] of [
    [sized, 200],
    [chunked, 404],
    [withoutBody, 204],
  ] as const) {
    const wrong: string[] = [];
    for (let first = 1; first < answer.length - 1; first += 1) {
      for (let second = first + 1; second < answer.length; second += 1) {
        const pieces = [answer.slice(0, first), answer.slice(first, second), answer.slice(second)];
        const statuses = readPieces(new AnswerReader(), pieces);
        if (statuses.join() !== `0,0,${status}`) wrong.push(`${first}, ${second}: ${statuses}`);
      }
    }
    t.same(wrong, []);
  }
});

t.test('answers follow one another on a connection', async (t) => {
  t.same(
    readPieces(new AnswerReader(), [sized, chunked, withoutBody, chunked, sized]),
    [200, 404, 204, 404, 200],
  );
});

t.test('malformed answers, and answers without an end, are refused', async (t) => {
  for (const [bytes, problem] of [
    ['SSH-2.0-OpenSSH_9.2\r\n', /begins with "SSH-2.0/],
    ['HTTP/1.1 200 OK\r\nServer: x\r\n\r\n', /neither a length nor chunks/],
    [`${sized}HTTP/1.1 200 OK`, /unrequested bytes/],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', /no size/],
  ] as const)
    t.throws(() => readPieces(new AnswerReader(), [bytes]), { message: problem });
});
