/** A stacked bar chart over time, with a table of the same figures. */
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { PlainTable } from '../ui/table.tsx'
import { valueAxis } from './scale.ts'
import { useWidth } from './width.ts'

export type Series = {
  readonly name: string
  /** A colour token of the theme. */
  readonly color: 'ink2' | 'info' | 'refund' | 'success-solid' | 'danger-solid' | 'warning-solid'
}
export type Bar = { readonly label: string; readonly values: readonly number[] }

const height = 140
/** The space for the axis values, to the right of the newest bar. */
const margin = 40
/** The width of a label below a bar, including spacing. */
const labelWidth = 90

export function StackedBars(props: {
  label: string
  series: readonly Series[]
  bars: readonly Bar[]
  format?: (value: number) => string
}) {
  const { label, series, bars, format = (value) => value.toLocaleString('en') } = props
  const [asTable, setTable] = useState(false)
  const [box, width] = useWidth<HTMLDivElement>()
  return (
    <div ref={box} className="grid min-w-0 gap-3">
      {asTable ? (
        <PlainTable
          label={label}
          rows={bars}
          keyOf={(bar) => bar.label}
          columns={[
            { title: 'From', cell: (bar) => bar.label, phone: true },
            ...series.map(({ name }, index) => ({
              title: name,
              align: 'right' as const,
              phone: true,
              cell: (bar: Bar) => format(bar.values[index] ?? 0),
            })),
          ]}
        />
      ) : (
        // Reserve the space until the width is known.
        <div style={{ minHeight: height + 22 }}>
          {width !== null && (
            <Chart label={label} series={series} bars={bars} format={format} width={width} />
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <ul className="flex flex-wrap gap-4 text-compact text-ink2">
          {series.map(({ name, color }) => (
            <li key={name} className="inline-flex items-center gap-1.5">
              <span className="size-2.5" style={{ background: `var(--color-${color})` }} />
              {name}
            </li>
          ))}
        </ul>
        <Button compact onClick={() => setTable(!asTable)}>
          {asTable ? 'Show as chart' : 'Show as table'}
        </Button>
      </div>
    </div>
  )
}

type ChartProps = {
  label: string
  series: readonly Series[]
  bars: readonly Bar[]
  format: (value: number) => string
  width: number
}

function Chart({ label, series, bars, format, width }: ChartProps) {
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  const axis = valueAxis(Math.max(...sums, 0), height)
  const step = (width - margin) / Math.max(1, bars.length)
  const total = sums.reduce((sum, value) => sum + value, 0)
  const labelInterval = Math.max(1, Math.ceil((bars.length * labelWidth) / width))
  return (
    <svg
      viewBox={`0 0 ${width} ${height + 22}`}
      role="img"
      aria-label={`${label}: ${format(total)} total`}
      className="w-full"
    >
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line x1="0" x2={width} y1={axis.at(tick)} y2={axis.at(tick)} className="stroke-line" />
          <text x={width} y={axis.at(tick) - 3} textAnchor="end" className="fill-ink3 text-axis">
            {format(tick)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <g key={bar.label}>
          <title>{`${bar.label}: ${series.map(({ name }, seriesIndex) => `${name} ${format(bar.values[seriesIndex] ?? 0)}`).join(', ')}`}</title>
          <rect x={index * step} y="0" width={step} height={height} fill="transparent" />
          {stacked(bar.values).map(({ from, to }, seriesIndex) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the series of a chart are never reordered.
              key={seriesIndex}
              x={index * step + step * 0.1}
              width={Math.max(1, step * 0.8)}
              y={axis.at(to)}
              height={axis.at(from) - axis.at(to)}
              fill={`var(--color-${series[seriesIndex]?.color})`}
            />
          ))}
          {index % labelInterval === 0 && (
            <text x={index * step} y={height + 16} className="fill-ink3 text-axis">
              {bar.label}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

function stacked(values: readonly number[]): { from: number; to: number }[] {
  let sum = 0
  return values.map((value) => {
    const from = sum
    sum += value
    return { from, to: sum }
  })
}
