import { codeHtml, escapeHtml, headingHtml } from './render-markdown.mjs';
import { SchemaParts } from './schema-parts.mjs';

/** The page that shows the OpenAPI document: its Markdown, with what is made here after the introduction. */
export const referencePage = 'openapi.md';

/** Text of the document: escaped, with `code` as code. */
function words(text) {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function slug(text) {
  return text.toLowerCase().replace(/\s+/g, '-');
}

function json(value) {
  return codeHtml(JSON.stringify(value, null, 2), 'json');
}

function table(label, head, rows) {
  const cells = (name, row) => row.map((cell) => `<${name}>${cell}</${name}>`).join('');
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
  return `<div class="table" tabindex="0" role="region" aria-label="${escapeHtml(label)}"><table>
<thead><tr>${cells('th', head)}</tr></thead>
<tbody>${body}</tbody></table></div>`;
}

/** A parameter's control. A boolean is chosen; attributes are lines of `name=value`. */
function control(id, { name, in: location, required, schema, example }) {
  const shared = `id="${id}" data-name="${escapeHtml(name)}" aria-describedby="${id}-about"`;
  if (schema.type === 'boolean') {
    const options = ['', 'true', 'false'].map((value) => {
      // A reader who tries a change out does not mean to make one.
      const isChosen = value === 'true' && name === 'dryRun';
      return `<option value="${value}"${isChosen ? ' selected' : ''}>${value || 'not sent'}</option>`;
    });
    return `<select ${shared} data-in="${location}">${options.join('')}</select>`;
  }
  if (schema.type === 'object') {
    const lines = Object.entries(example).map((pair) => pair.join('='));
    return `<textarea ${shared} data-in="lines" rows="2" spellcheck="false" autocomplete="off" placeholder="${escapeHtml(lines.join('\n'))}"></textarea>`;
  }
  return `<input ${shared} data-in="${location}" type="text" spellcheck="false" autocomplete="off" autocapitalize="off" placeholder="${escapeHtml(String(example))}"${required ? ' required' : ''}>`;
}

function field(id, label, about, mark, html) {
  const isMarked = mark === '' ? '' : ` <span class="mark">${escapeHtml(mark)}</span>`;
  return `<div class="field"><label for="${id}">${escapeHtml(label)}${isMarked}</label>
${html}
<p class="about" id="${id}-about">${about}</p></div>`;
}

function parameterField(operationId, parameter) {
  const id = `${operationId}-${parameter.name}`;
  const { name, in: location, required, description, schema } = parameter;
  const about = `${words(description)}${schema.type === 'object' ? ' One <code>name=value</code> a line.' : ''}`;
  const mark = required ? 'required' : location === 'header' ? 'header' : '';
  return field(id, name, about, mark, control(id, parameter));
}

function bodyField(operationId, requestBody, parts) {
  if (requestBody === undefined) return '';
  const id = `${operationId}-body`;
  const forms = parts.forms(requestBody.content['application/json'].schema);
  const [text = '', ...others] = forms.map((form) => JSON.stringify(parts.example(form), null, 2));
  const area = `<textarea id="${id}" data-in="body" rows="${text.split('\n').length}" spellcheck="false" autocomplete="off" aria-describedby="${id}-about">${escapeHtml(text)}</textarea>`;
  const about = 'JSON. Leave out the fields that you do not need.';
  const other = others.map(
    (each) => `<details><summary>Body in a multi-environment project</summary>
${codeHtml(each, 'json')}</details>`,
  );
  return `${field(id, 'Body', about, 'required', area)}${other.join('')}`;
}

const sendHtml = '<button type="submit">Send request</button>\n<div class="answer" role="status"></div>';
const endlessHtml = '<p class="about">The answer does not end, so this page does not ask for it.</p>';

/** Whether a success is more than a stream of events. */
function endsByItself({ responses }) {
  const { content } = responses[200] ?? {};
  return content === undefined || Object.keys(content).some((type) => type !== 'text/event-stream');
}

/** What works only with the page's script is hidden until it runs. */
function tryForm(operation, method, path, parts) {
  const { operationId: id, parameters, requestBody, security } = operation;
  const needsToken = security.length > 0;
  const fields = parameters.map((parameter) => parameterField(id, parameter)).join('\n');
  return `<form class="request" data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}" data-token="${needsToken}" aria-label="Request: ${escapeHtml(operation.summary)}">
<div class="fields">${fields}</div>
${bodyField(id, requestBody, parts)}
<div class="live" hidden>
${codeHtml('', 'curl', 'The request as a curl command')}
${endsByItself(operation) ? sendHtml : endlessHtml}
</div>
</form>`;
}

/** A success: an example of each form, and the fields of all forms. */
function successHtml(schema, summary, parts) {
  const forms = parts.forms(schema);
  const examples = forms.map((form) => json(parts.example(form)));
  const byPath = new Map(forms.flatMap((form) => parts.fields(form)).map((each) => [each.path, each]));
  const rows = [...byPath.values()].map(({ path, type, description }) => [
    `<code>${escapeHtml(path)}</code>`,
    escapeHtml(type),
    words(description),
  ]);
  return `${examples.join('\n')}\n${table(`Fields: ${summary}`, ['Field', 'Type', 'Meaning'], rows)}`;
}

function answersHtml({ responses, summary }, parts) {
  const entries = Object.entries(responses);
  const rows = entries.map(([status, { description }]) => [status, words(description)]);
  const successes = entries.flatMap(([status, { content }]) => {
    const schema = content?.['application/json']?.schema;
    return Number(status) < 300 && schema !== undefined ? [successHtml(schema, summary, parts)] : [];
  });
  return `<details class="answers"><summary>Answers</summary>
${successes.join('\n')}
${table(`Statuses: ${summary}`, ['Status', 'Means'], rows)}
</details>`;
}

function operationHtml(path, method, operation, parts) {
  const { operationId: id, summary, description } = operation;
  return `<section class="operation">
${headingHtml({ id, title: summary, depth: 3 })}
<p class="route"><span class="method" data-method="${method}">${method.toUpperCase()}</span> <code>${escapeHtml(path).replaceAll('/', '/<wbr>')}</code></p>
<p>${words(description)}</p>
${tryForm(operation, method, path, parts)}
${answersHtml(operation, parts)}
</section>`;
}

const tokenField = `<div class="token live" hidden>
<label for="token">Bearer token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false" data-1p-ignore data-lpignore="true" aria-describedby="token-about">
<p class="about" id="token-about">For sync and the Management API. This page keeps it in its memory only, until you leave or reload the page, and sends it to this service only.</p>
</div>
<noscript><p>Your browser runs no scripts here: the endpoints can be read, and requests cannot be sent.</p></noscript>`;

/**
 * @param document the OpenAPI document
 * @returns what the page shows of it: HTML and headings
 */
export function renderReference(document) {
  const parts = new SchemaParts(document);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const headings = [];
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const titles = own.map(({ operation }) => ({
      id: operation.operationId,
      title: operation.summary,
      depth: 3,
    }));
    const title = { id: slug(name), title: name, depth: 2 };
    headings.push(title, ...titles);
    const html = own.map(({ path, method, operation }) => operationHtml(path, method, operation, parts));
    return `${headingHtml(title)}<p>${words(description)}</p>\n${html.join('\n')}`;
  });
  return { html: `${tokenField}\n${sections.join('\n')}\n`, headings };
}
