/** @returns the number with these decimals and a comma between thousands, the same on every machine: `41,234.5` */
export function formatNumber(value: number, digits: number): string {
  const [whole = '', decimals] = value.toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** @returns a ratio with three decimals when small, and fewer when large */
export function formatRatio(ratio: number): string {
  const size = Math.abs(ratio);
  return formatNumber(ratio, size < 10 ? 3 : size < 100 ? 1 : 0);
}

/** @returns 0.031 as `3.1 %` */
export function formatShare(share: number): string {
  return `${formatNumber(share * 100, Math.abs(share) < 0.1 ? 1 : 0)} %`;
}

/** @returns a setting: whole numbers get a comma between thousands, other values stay as they are */
export function formatSetting(value: string | number): string {
  return typeof value === 'number' && Number.isInteger(value) ? formatNumber(value, 0) : String(value);
}
