import { formatMoment } from '../../parts/format-time.ts';
import type { ShownSeries } from './evaluation-series.ts';
import classes from './evaluation-table.module.css';

/** The same as the chart, as numbers: for reading them, and for those who cannot see bars. */
export function EvaluationTable({ series }: { readonly series: ShownSeries }) {
  return (
    <>
      <p className={classes.legend}>
        <span className={classes.on} /> on <span className={classes.off} /> off
      </p>
      <details className={classes.details}>
        <summary>As numbers</summary>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Hour beginning</th>
              <th scope="col">On</th>
              <th scope="col">Off</th>
            </tr>
          </thead>
          <tbody>
            {series.hours.map((at, hour) => (
              <tr key={at}>
                <th scope="row">{formatMoment(at)}</th>
                <td>{(series.on[hour] ?? 0).toLocaleString('en')}</td>
                <td>{(series.off[hour] ?? 0).toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
