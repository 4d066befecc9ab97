/** A request as a form describes it. */
export interface PageRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
}

/** A field of a form. `lines` holds query parameters, one `name=value` a line. */
interface Value {
  readonly name: string;
  readonly place: string;
  readonly text: string;
}

/** Reads the fields of a form; an empty one is left out. */
function valuesOf(form: HTMLFormElement): readonly Value[] {
  const controls = [...form.querySelectorAll<HTMLInputElement>('[data-in]')];
  const values = controls.map(({ dataset, value }) => ({
    name: dataset['name'] ?? '',
    place: dataset['in'] ?? '',
    text: value,
  }));
  return values.filter(({ text }) => text !== '');
}

/** A blank is %20: a `+` would be ambiguous in a cohort. */
function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function linePairs(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [name = '', ...value] = line.split('=');
    return pair(name, value.join('='));
  });
}

/**
 * @param base of the service
 * @param token empty: none
 */
export function requestOf(form: HTMLFormElement, base: URL, token: string): PageRequest {
  const { method = 'GET', path = '', token: needsToken } = form.dataset;
  const values = valuesOf(form);
  const at = (place: string) => values.filter((value) => value.place === place);
  const inPath = new Map(at('path').map(({ name, text }) => [`{${name}}`, encodeURIComponent(text)]));
  const filled = path.replace(/\{\w+\}/g, (name) => inPath.get(name) ?? name);
  const query = [
    ...at('query').map(({ name, text }) => pair(name, text)),
    ...at('lines').flatMap(({ text }) => linePairs(text)),
  ];
  const body = at('body')[0]?.text ?? null;
  const url = new URL(`.${filled}`, base);
  url.search = query.join('&');
  const headers = {
    ...(needsToken === 'true' && token !== '' ? { Authorization: `Bearer ${token}` } : {}),
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    ...Object.fromEntries(at('header').map(({ name, text }) => [name, text])),
  };
  return { method, url, headers, body };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** JSON in one line; other text as it is. */
function inOneLine(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

/** The request as a shell command. Its token is a variable, because commands are copied and kept in a history. */
export function curlOf({ method, url, headers, body }: PageRequest): string {
  const shown = Object.entries(headers).map(([name, value]) =>
    name === 'Authorization' ? `-H "Authorization: Bearer $TOKEN"` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    ...shown,
    ...(body === null ? [] : [`-d ${quoted(inOneLine(body))}`]),
    // A part of the path that is not filled in yet stays readable.
    quoted(url.href.replace(/%7B(\w+)%7D/g, '{$1}')),
  ];
  return parts.join(parts.length === 2 ? ' ' : ' \\\n  ');
}
