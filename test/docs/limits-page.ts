/** A row of the tables of `docs/limits.md`. */
export interface LimitRow {
  readonly given: string;
  readonly bound: string;
  /** Null in the list of format bounds. */
  readonly share: string | null;
  readonly atTheBound: string | null;
  /** `src/<path>#<name>`, `src/<path>`, the name of a setting, or the part outside Burgee that has the bound. */
  readonly where: string;
}

/** A row of the section «Collections». */
export interface CollectionRow {
  /** `src/<path>#<name>` */
  readonly where: string;
  readonly held: string;
  readonly share: string;
  readonly bound: string;
}

type Family = 'number' | 'bytes' | 'time' | 'share';

/** A bound as the page writes it, converted to bytes or milliseconds, or a plain number. */
export interface Quantity {
  readonly family: Family;
  readonly value: number;
}

const units = new Map<string, Quantity>([
  ['bytes', { family: 'bytes', value: 1 }],
  ['KiB', { family: 'bytes', value: 2 ** 10 }],
  ['MiB', { family: 'bytes', value: 2 ** 20 }],
  ['GiB', { family: 'bytes', value: 2 ** 30 }],
  ['ms', { family: 'time', value: 1 }],
  ['s', { family: 'time', value: 1000 }],
  ['min', { family: 'time', value: 60_000 }],
  ['h', { family: 'time', value: 3_600_000 }],
  ['days', { family: 'time', value: 86_400_000 }],
  ['%', { family: 'share', value: 0.01 }],
]);

const collections = /^## Collections .*?(?=^## )/ms;

function cellsOf(line: string): readonly string[] {
  return line.startsWith('| ') ? line.slice(2, -2).split(' | ') : [];
}

function plain(cell: string): string {
  return cell.replaceAll('`', '');
}

/** @returns every row of a bound: five cells in the tables, three in the list of format bounds */
export function readLimitRows(page: string): readonly LimitRow[] {
  return page
    .replace(collections, '')
    .split('\n')
    .flatMap((line): LimitRow[] => {
      const cells = cellsOf(line);
      const [first = '', bound = '', third = '', fourth = '', fifth = ''] = cells;
      if (first === 'What is given' || first === 'Where') return [];
      if (cells.length === 3)
        return [{ given: third, bound, share: null, atTheBound: null, where: plain(first) }];
      if (cells.length === 0) return [];
      return [{ given: first, bound, share: third, atTheBound: fourth, where: plain(fifth) }];
    });
}

export function readCollectionRows(page: string): readonly CollectionRow[] {
  const [section = ''] = collections.exec(page) ?? [];
  return section.split('\n').flatMap((line): CollectionRow[] => {
    const [first = '', held = '', share = '', bound = ''] = cellsOf(line);
    return first === '' || first === 'Where' ? [] : [{ where: plain(first), held, share, bound }];
  });
}

/** @returns null unless the text begins with a number, with thousands in groups, and optionally a unit */
export function readQuantity(text: string): Quantity | null {
  const [, digits, unitName = ''] = /^([\d,]+(?:\.\d+)?)(?: ([a-zA-Z]+|%))?(?: .*)?$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const number = Number(digits.replaceAll(',', ''));
  if (number.toLocaleString('en-US', { maximumFractionDigits: 4 }) !== digits) return null;
  const unit = units.get(unitName) ?? { family: 'number', value: 1 };
  return { family: unit.family, value: number * unit.value };
}

/** @returns the unit in a constant's name; null for a plain number */
function familyOf(name: string): Family {
  if (/(Ms|[sS]econds)(?![a-z])/.test(name)) return 'time';
  if (/Share(Max)?$/.test(name)) return 'share';
  return /[bB]ytes(?![a-z])/.test(name) && !name.endsWith('PerByte') ? 'bytes' : 'number';
}

/** Whether a written bound equals the value of a constant or setting of this name. */
export function isBoundOf(name: string, value: number, written: string): boolean {
  const quantity = readQuantity(written);
  if (quantity === null) return false;
  const family = familyOf(name);
  // A name may leave out that it counts bytes. A name with a unit must be compared in that unit.
  const isOfFamily = quantity.family === family || (family === 'number' && quantity.family === 'bytes');
  const scale = /[sS]econds(?![a-z])/.test(name) ? 1000 : 1;
  return isOfFamily && Math.abs(quantity.value - value * scale) <= 1e-9 * Math.abs(value * scale);
}
