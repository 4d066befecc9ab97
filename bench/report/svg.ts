/** A plot's width in its own units; on a page, a unit is about a pixel. */
export const plotWidth = 860;
export const colours = 8;

/** Each series' colour on a light page and on a dark one. Dashes distinguish the series without colour. */
const palette = [
  ['#1556b0', '#82b4ff', 'none'],
  ['#c2410c', '#ff9a5c', 'none'],
  ['#0f766e', '#4fd1c5', '7 3'],
  ['#7c3aed', '#b794f6', '7 3'],
  ['#a16207', '#e0b252', '2 3'],
  ['#be185d', '#f687b3', '2 3'],
  ['#4d7c0f', '#a3d65c', '9 3 2 3'],
  ['#475569', '#aab5c5', '9 3 2 3'],
] as const;

function seriesRules(isDark: boolean): string {
  return palette
    .map(([light, dark], index) => {
      const colour = isDark ? dark : light;
      return `.s${index} { stroke: ${colour}; } .f${index} { fill: ${colour}; }`;
    })
    .join('\n');
}

const dashRules = palette.map(([, , dash], index) => `.s${index} { stroke-dasharray: ${dash}; }`).join('\n');

const style = `<style>
text { fill: #4d596b; }
.name { fill: #1c2430; }
.strong { fill: #1c2430; font-weight: 650; }
.grid { stroke: #dde2e9; }
.one { stroke: #56637a; stroke-width: 1.5; }
.whisker { stroke: #1c2430; stroke-width: 1.5; }
.bar { fill: #7ba7e0; }
.base { fill: #c3cad6; }
.series { fill: none; stroke-width: 2; }
${dashRules}
${seriesRules(false)}
@media (prefers-color-scheme: dark) {
text { fill: #aab5c5; }
.name, .strong { fill: #e9edf4; }
.grid { stroke: #2c3440; }
.one { stroke: #8b98ab; }
.whisker { stroke: #e9edf4; }
.bar { fill: #35639f; }
.base { fill: #4a5567; }
${seriesRules(true)}
}
</style>`;

const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** @returns text escaped for SVG content and attributes */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}

/** @returns a coordinate rounded to a tenth, which is finer than a pixel */
export function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** A letter's width relative to the font's size: an estimate that is rather too wide. */
const letterWidth = 0.55;

/** @returns an estimate of a text's width */
export function textWidth(text: string, fontSize: number): number {
  return text.length * fontSize * letterWidth;
}

/** @returns the text, cut with an ellipsis if it does not fit */
export function fitText(text: string, width: number, fontSize: number): string {
  const charsMax = Math.floor(width / (fontSize * letterWidth));
  return text.length <= charsMax ? text : `${text.slice(0, Math.max(1, charsMax - 1))}…`;
}

export interface TextOptions {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly className?: string;
  readonly size?: number;
}

export function svgText(x: number, y: number, text: string, options: TextOptions = {}): string {
  const { anchor = 'start', className, size } = options;
  const extra = `${className === undefined ? '' : ` class="${className}"`}${size === undefined ? '' : ` font-size="${size}"`}`;
  return `<text x="${place(x)}" y="${place(y)}" text-anchor="${anchor}"${extra}>${escapeXml(text)}</text>`;
}

/** @returns the title at a picture's top, for readers who see it without its page */
export function svgHeading(title: string): string {
  return svgText(0, 17, fitText(title, plotWidth, 16), { className: 'strong', size: 16 });
}

export function svgLine(className: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="${className}" x1="${place(x1)}" y1="${place(y1)}" x2="${place(x2)}" y2="${place(y2)}"/>`;
}

/** @returns a picture that is readable on light and dark pages */
export function svgDocument(height: number, title: string, body: readonly string[]): string {
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plotWidth} ${Math.ceil(height)}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif" font-size="14">`,
    `<title>${escapeXml(title)}</title>`,
    style,
    ...body,
    '</svg>',
  ].join('\n')}\n`;
}

/** @returns a legend in one or more lines, and its height */
export function svgLegend(
  labels: readonly string[],
  left: number,
  top: number,
): { body: string[]; height: number } {
  const size = 13;
  const lineHeight = 21;
  const sample = 26;
  let [x, y] = [left, top];
  const body = labels.flatMap((label, index) => {
    const width = sample + 8 + textWidth(label, size) + 20;
    if (x > left && x + width > plotWidth) [x, y] = [left, y + lineHeight];
    const drawn = [
      svgLine(`series s${index % colours}`, x, y, x + sample, y),
      svgText(x + sample + 8, y + 4.5, label, { className: 'name', size }),
    ];
    x += width;
    return drawn;
  });
  return { body, height: y - top + lineHeight };
}
