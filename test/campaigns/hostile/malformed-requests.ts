/** Malformed requests as bytes: none may be carried out, or answered with a 500. */
export interface RequestTargets {
  readonly flag: string;
  readonly secret: string;
}

/** @returns sixty requests. A smuggled one would switch the flag off. */
export function malformedRequests({ flag, secret }: RequestTargets): readonly Buffer[] {
  const path = `/v1/flags/${flag}`;
  const host = 'Host: localhost\r\n';
  const authorization = `Authorization: Bearer ${secret}\r\n`;
  const off = '{"enabled":false}';
  const smuggled = `PATCH /api/v1/flags/${flag} HTTP/1.1\r\n${host}${authorization}Content-Length: ${off.length}\r\n\r\n${off}`;
  const post = `POST /api/v1/flags HTTP/1.1\r\n${host}${authorization}`;
  const chunked = `0\r\n\r\n${smuggled}`;
  return [
    ...badRequestLines(path, host),
    ...badHeaders(path, host, authorization),
    ...badLengths(post, smuggled, chunked),
    ...badBodies(post),
    ...noHttp(),
  ].map((request) => (typeof request === 'string' ? Buffer.from(request, 'latin1') : request));
}

type Raw = string | Buffer;

function badRequestLines(path: string, host: string): Raw[] {
  const lines = [
    `GET ${path} HTTP/1.0`,
    `GET ${path} HTTP/2.0`,
    `GET ${path} HTTP/9.9`,
    `GET ${path} HTTP/1`,
    `GET ${path} HTTX/1.1`,
    `GET ${path} http/1.1`,
    `GET ${path}`,
    `GET  ${path} HTTP/1.1`,
    `GET ${path}  HTTP/1.1`,
    `GET\t${path}\tHTTP/1.1`,
    `GET ${path}?a=b c HTTP/1.1`,
    `GET ${path}?cohort=\u0000 HTTP/1.1`,
    `GET ${path}?cohort=\u007f HTTP/1.1`,
    `GET ${path}?cohort=\u00e9 HTTP/1.1`,
    `GET ${path}?cohort=%zz HTTP/1.1`,
    `GET http://localhost${path} HTTP/1.1`,
    `GET * HTTP/1.1`,
    `GET ${path.slice(1)} HTTP/1.1`,
    `get ${path} HTTP/1.1`,
    `BREW ${path} HTTP/1.1`,
    `CONNECT localhost:80 HTTP/1.1`,
    ` GET ${path} HTTP/1.1`,
  ];
  return lines.map((line) => `${line}\r\n${host}\r\n`);
}

function badHeaders(path: string, host: string, authorization: string): Raw[] {
  const line = `GET ${path} HTTP/1.1\r\n`;
  return [
    `${line}\r\n`,
    `${line}Host: a\r\nHost: b\r\n\r\n`,
    `${line}${host}no colon\r\n\r\n`,
    `${line}${host}: no name\r\n\r\n`,
    `${line}${host}X: a\r\n folded\r\n\r\n`,
    `${line}${host}X : a\r\n\r\n`,
    `${line}${host}X\u0000Y: a\r\n\r\n`,
    `${line}${host}X: a\u0000b\r\n\r\n`,
    `${line}${host}X: a\rb\r\n\r\n`,
    `${line.replace('\r\n', '\n')}Host: localhost\n\n`,
    `${line}${host}${'X: y\r\n'.repeat(150)}\r\n`,
    `${line}${host}X: ${'x'.repeat(20_000)}\r\n\r\n`,
    `GET ${path}?a=${'b'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/token HTTP/1.1\r\n${host}${authorization}${authorization}\r\n`,
    `GET /api/v1/token HTTP/1.1\r\n${host}Authorization: Basic ${'Og'.repeat(8)}\r\n\r\n`,
  ];
}

function badLengths(post: string, smuggled: string, chunked: string): Raw[] {
  return [
    `${post}Content-Length: 2\r\nContent-Length: ${smuggled.length + 2}\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunked}`,
    `${post}Content-Length: -1\r\n\r\n${smuggled}`,
    `${post}Content-Length: +2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 0x2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 1048577\r\n\r\n{}`,
    `${post}Content-Length: 99999999999999999999999\r\n\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
  ];
}

function badBodies(post: string): Raw[] {
  return ['{', '{"name":"x"}}', '{"name":"\u0000"}', '['.repeat(1000)].map(
    (body) => `${post}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function noHttp(): Raw[] {
  return [
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('16030100a5010000a1030300000000', 'hex'),
    Buffer.alloc(4096, 0xff),
    '\r\n\r\n\r\n\r\n',
  ];
}
