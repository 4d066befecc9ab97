import t, { type Test } from 'tap';
import type { AnswerPolicy } from '../../src/http/answer-policy.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { headerBlock } from '../../src/http/header-block.ts';
import { ClientAddresses } from '../../src/worker/limits/address-finder.ts';
import { unsentAnswers } from '../../src/worker/limits/pools.ts';
import { Pool } from '../../src/worker/limits/quota.ts';
import { eventually } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { openRawConnection } from '../support/raw-request.ts';
import { openPolicy, serveRoutes } from '../support/served-routes.ts';

const headers = headerBlock([['Content-Type', 'text/plain']]);

/** Serves one answer as a worker does, with its buffers for slow clients. */
async function serve(t: Test, give: (exchange: Exchange) => void, mustClose = false) {
  let kept = 0;
  const pool = new Pool(256 * 2 ** 20, 1, {
    onChange: (used) => {
      kept = used;
    },
  });
  const unsent = unsentAnswers(pool, new ClientAddresses([]));
  const policy: AnswerPolicy = { mustClose: () => mustClose, unsent };
  const served = await serveRoutes(t, {
    routes: [{ method: 'any', pattern: '/*', countedAs: 0, handle: give }],
    policy,
  });
  return { ...served, kept: () => kept };
}

t.test("a large answer's memory is given back when its client has it, for every kind of body", async (t) => {
  const bodies = ['x'.repeat(70_000), 'é'.repeat(40_000), '€'.repeat(30_000), '€'.repeat(70_000)];
  for (const body of bodies) {
    const { port, kept } = await serve(t, (exchange) => {
      exchange.answer(200, headers, body);
    });
    const answer = await createHttpClient(t, { port }).send({ path: '/' });
    t.ok(answer.text === body);
    t.equal(answer.headers.get('content-length'), String(Buffer.byteLength(body)));
    t.equal(kept(), 0, `${body.length} times ${body[0]}`);
  }
});

t.test('and when its client goes away', async (t) => {
  const body = 'x'.repeat(32 * 2 ** 20);
  const { port, kept } = await serve(t, (exchange) => {
    exchange.answer(200, headers, body);
  });
  const slow = await openRawConnection(t, port);
  slow.pause();
  slow.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await eventually(() => kept() > body.length / 2, 5000, 'the part is kept that the socket has not taken');
  slow.destroy();
  await eventually(() => kept() === 0, 5000, 'the memory is given back');
});

t.test('clients at one address that read nothing leave memory for others', async (t) => {
  const body = 'x'.repeat(12 * 2 ** 20);
  let given = 0;
  const { port, kept } = await serve(t, (exchange) => {
    exchange.answer(200, headers, body);
    given += 1;
  });
  const ask = async (address: string) => {
    const client = await openRawConnection(t, port, address);
    const before = given;
    client.pause();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => given > before, 5000, 'the answer is given');
    return client;
  };
  const slow = [];
  for (let count = 0; count < 12; count += 1) slow.push(await ask('127.0.0.1'));
  const before = kept();
  t.ok(before > body.length && before <= 32 * 2 ** 20, `${before} bytes are kept`);
  await ask('127.0.0.2');
  t.ok(kept() > before, 'another address has room');
  for (const client of slow) client.destroy();
  await eventually(() => kept() < body.length, 5000, 'the memory is given back');
});

t.test('HEAD holds no memory', async (t) => {
  const body = '€'.repeat(70_000);
  const { port, kept } = await serve(t, (exchange) => {
    exchange.answer(200, headers, body);
  });
  const answer = await createHttpClient(t, { port }).send({ method: 'HEAD', path: '/' });
  t.equal(answer.headers.get('content-length'), String(Buffer.byteLength(body)));
  t.equal(answer.text, '');
  t.equal(kept(), 0);
});

/** Every way of sending an answer. */
const ways: Readonly<Record<string, (exchange: Exchange, body: string) => void>> = {
  'within its handler': (exchange, body) => exchange.answer(200, headers, body),
  'after its handler': (exchange, body) => {
    setImmediate(() => exchange.answer(200, headers, body));
  },
  'in chunks': (exchange, body) => {
    exchange.begin(200, headers);
    const bytes = Buffer.from(body);
    let sent = 0;
    // As a long answer is sent: no faster than the client reads, so that no time limit applies to most of it.
    const send = (): void => {
      while (sent < bytes.length) {
        const piece = bytes.subarray(sent, sent + 65_536);
        sent += piece.length;
        if (!exchange.write(piece)) return;
      }
      exchange.end();
    };
    exchange.onWritable(send);
    setImmediate(send);
  },
};

/** Why an answer may have to close its connection: the service must, or the client has said so. */
const closes = [
  { why: 'if it must', mustClose: true, line: '' },
  { why: 'if the client said so', mustClose: false, line: 'Connection: close\r\n' },
];

interface Closing {
  readonly way: string;
  readonly mustClose: boolean;
  readonly line: string;
  readonly method: string;
  /** Bytes of the body. */
  readonly length: number;
}

async function answerToClose(t: Test, { way, mustClose, line, method, length }: Closing): Promise<void> {
  const shown = `${method} of ${length}`;
  const give = (exchange: Exchange): void => ways[way]?.(exchange, 'x'.repeat(length));
  const { port, connections, kept } = await serve(t, give, mustClose);
  const connection = await openRawConnection(t, port);
  const body = method === 'POST' ? 'Content-Length: 0\r\n' : '';
  connection.write(`${method} / HTTP/1.1\r\nHost: x\r\n${line}${body}\r\n`);
  // No answer to HEAD is parsed, because the client would wait for its body.
  const answer = method === 'HEAD' ? null : await connection.response();
  // The library cannot close the connection after a chunked answer: the client was told to.
  if (way === 'in chunks' && mustClose) connection.end();
  await connection.closed;
  const { head } = answer ?? connection.head();
  t.match(head, /^HTTP\/1\.1 200 OK\r\n/, shown);
  t.equal(head.match(/\r\nconnection: close/gi)?.length, 1, `${shown} announces the close`);
  t.match(head, /\r\ndate: /i, `${shown} says when`);
  if (way !== 'in chunks') t.match(head, new RegExp(`\r\ncontent-length: ${length}(\r|$)`, 'i'), shown);
  if (method !== 'HEAD') t.equal(answer?.body.length, length, shown);
  await eventually(() => connections() === 0, 5000, `${shown} is closed`);
  t.equal(kept(), 0, shown);
}

for (const { why, mustClose, line } of closes) {
  for (const way of Object.keys(ways)) {
    t.test(`an answer ${way} closes its connection ${why}, for any size and method`, async (t) => {
      for (const length of [0, 5, 20_000, 70_000, 8_000_000]) {
        for (const method of ['GET', 'HEAD', 'POST']) {
          await answerToClose(t, { way, mustClose, line, method, length });
        }
      }
    });
  }

  t.test(`an answer on a direct route closes its connection ${why}, also for HEAD`, async (t) => {
    const served = await serveRoutes(t, {
      routes: [],
      directRoutes: (['get', 'head'] as const).map((method) => ({
        method,
        pattern: '/:segment',
        countedAs: 0,
        answer: () => ({ status: 200, headers, body: 'hello', bodyBytes: 5 }),
        fail: () => ({ status: 500, headers, body: '', bodyBytes: 0 }),
      })),
      policy: { ...openPolicy, mustClose: () => mustClose },
    });
    for (const method of ['GET', 'HEAD']) {
      const connection = await openRawConnection(t, served.port);
      connection.write(`${method} /a HTTP/1.1\r\nHost: x\r\n${line}\r\n`);
      await connection.closed;
      const { head, text } = connection.head();
      t.match(head, /\r\ncontent-length: 5(\r|$)/i);
      t.equal(head.match(/\r\nconnection: close/gi)?.length, 1, `${method} announces the close`);
      t.equal(text, method === 'GET' ? 'hello' : '');
    }
    t.equal(served.connections(), 0);
  });
}

t.test('a chunked answer to a slow client arrives completely before its connection is closed', async (t) => {
  const piece = Buffer.alloc(60_000, 'x');
  const pieces = 200;
  const { port } = await serve(
    t,
    (exchange) => {
      exchange.begin(200, headers);
      let left = pieces;
      const send = (): void => {
        while (left > 0) {
          left -= 1;
          if (!exchange.write(piece)) return;
        }
        exchange.end();
      };
      exchange.onWritable(send);
      setImmediate(send);
    },
    true,
  );
  const connection = await openRawConnection(t, port);
  connection.pause();
  connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => setTimeout(resolve, 500));
  connection.resume();
  const response = await connection.response();
  t.equal(response?.body.length, pieces * piece.length);
});

t.test(
  'a chunked answer given in the call for a body is complete, and no request after a last one is read',
  async (t) => {
    for (const { line, isLast } of [
      { line: '', isLast: false },
      { line: '', isLast: true },
      { line: 'Connection: close\r\n', isLast: false },
      { line: 'Connection: close\r\n', isLast: true },
    ]) {
      let asked = 0;
      const { port } = await serve(t, (exchange) => {
        asked += 1;
        exchange.isLast = isLast;
        const take = (): void => {
          exchange.begin(200, headers);
          exchange.write(Buffer.from('hello'));
          exchange.end();
        };
        exchange.onBody({ take, abort: () => undefined });
      });
      const request = `POST / HTTP/1.1\r\nHost: x\r\n${line}Content-Length: 2\r\n\r\n{}`;
      const connection = await openRawConnection(t, port);
      connection.write(request);
      t.equal((await connection.response())?.body.toString(), 'hello');
      const goesOn = line === '' && !isLast;
      if (line !== '') await connection.closed;
      connection.write(request);
      const next = await connection.response(goesOn ? undefined : 300);
      t.equal(next?.body.toString(), goesOn ? 'hello' : undefined);
      t.equal(asked, goesOn ? 2 : 1);
    }
  },
);

t.test('a request before malformed bytes is answered, and nothing after it', async (t) => {
  let asked = 0;
  const { port } = await serve(t, (exchange) => {
    asked += 1;
    exchange.isLast = true;
    exchange.answer(400, headers, 'refused');
  });
  const connection = await openRawConnection(t, port);
  connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await connection.closed;
  const response = await connection.response();
  t.same([response?.status, response?.body.toString()], [400, 'refused']);
  const pipelined = await openRawConnection(t, port);
  pipelined.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  await pipelined.closed;
  t.equal(asked, 2, 'bytes that come with it are not handled');
});

t.test('a last answer arrives completely, for any size and method, and ends its connection', async (t) => {
  for (const length of [0, 5, 70_000, 8 * 2 ** 20]) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      let asked = 0;
      const { port, kept, connections } = await serve(t, (exchange) => {
        asked += 1;
        exchange.isLast = true;
        exchange.answer(200, headers, 'x'.repeat(length));
      });
      const shown = `${method} of ${length}`;
      const client = createHttpClient(t, { port });
      const answer = await client.send({ method, path: '/' });
      t.equal(answer.headers.get('content-length'), String(length), shown);
      t.equal(answer.headers.get('connection'), 'close', shown);
      t.equal(answer.body.length, method === 'HEAD' ? 0 : length, shown);
      await eventually(() => connections() === 0, 5000, `${shown}: the client has closed`);
      t.equal(kept(), 0, `${shown}: nothing is kept`);
      const insistent = await openRawConnection(t, port);
      insistent.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
      await eventually(() => asked === 2, 5000, `${shown}: asked`);
      insistent.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await insistent.closed;
      t.equal(asked, 2, `${shown}: following requests are not handled`);
      await eventually(() => connections() === 0, 5000, `${shown}: it is closed`);
    }
  }
});

t.test('the server closes a connection after its last answer if the client does not', async (t) => {
  const { port, connections } = await serve(t, (exchange) => {
    exchange.isLast = true;
    exchange.answer(200, headers, 'last');
  });
  const connection = await openRawConnection(t, port);
  connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await connection.closed;
  t.equal((await connection.response())?.body.toString(), 'last');
  await eventually(() => connections() === 0, 5000, 'the connection has ended');
});
