/** A strip of cells, one for each stretch of time: the darker, the more of it failed. */
export type Cell = {
  readonly label: string
  /** From 0 to 1; null: nothing happened. */
  readonly share: number | null
}

export function HeatStrip({ label, cells }: { label: string; cells: readonly Cell[] }) {
  return (
    <div role="img" aria-label={describe(label, cells)} className="flex h-6 gap-px">
      {cells.map((cell) => (
        <span
          key={cell.label}
          title={`${cell.label}: ${cell.share === null ? 'no attempts' : percent(cell.share)}`}
          className="min-w-0.5 flex-1 rounded-chip"
          style={{ background: shade(cell.share) }}
        />
      ))}
    </div>
  )
}

function shade(share: number | null): string {
  if (share === null) return 'var(--color-sunken)'
  if (share === 0) return 'var(--color-clear-solid)'
  return `color-mix(in oklab, var(--color-danger-solid) ${Math.round(25 + share * 75)}%, var(--color-caution-soft))`
}

function describe(label: string, cells: readonly Cell[]): string {
  const known = cells.map(({ share }) => share).filter((share) => share !== null)
  if (known.length === 0) return `${label}: no attempts`
  const worst = Math.max(...known)
  return `${label}: at worst ${percent(worst)} failed in a stretch`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
