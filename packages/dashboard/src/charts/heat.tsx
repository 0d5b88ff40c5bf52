/** A strip of cells, one per time interval, coloured by the rate of the interval. */
import { type RateKind, rateText, rateTone, worstRate } from '../metrics/rates.ts'

export type Cell = {
  readonly label: string
  /** From 0 to 1; null without attempts. */
  readonly rate: number | null
}

export function HeatStrip(props: { kind: RateKind; label: string; cells: readonly Cell[] }) {
  const { kind, label, cells } = props
  return (
    <div role="img" aria-label={describe(kind, label, cells)} className="flex h-6 gap-px">
      {cells.map((cell) => (
        <span
          key={cell.label}
          title={`${cell.label}: ${cell.rate === null ? 'no attempts' : `${rateText(cell.rate)} ${rateLabels[kind]}`}`}
          className="min-w-0.5 flex-1 rounded-chip"
          style={{ background: shade(kind, cell.rate) }}
        />
      ))}
    </div>
  )
}

const rateLabels = { approval: 'approved', errors: 'provider errors' } as const

function shade(kind: RateKind, rate: number | null): string {
  return rate === null ? 'var(--color-sunken)' : `var(--color-${rateTone(kind, rate)}-solid)`
}

function describe(kind: RateKind, label: string, cells: readonly Cell[]): string {
  const known = cells.map(({ rate }) => rate).filter((rate) => rate !== null)
  if (known.length === 0) return `${label}: no attempts`
  return `${label}: at worst ${rateText(worstRate(kind, known))} ${rateLabels[kind]}`
}
