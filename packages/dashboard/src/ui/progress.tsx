/** A progress bar. Without a total it shows only how much is done. */
export function Progress({ done, total, label }: { done: number; total: number | null; label: string }) {
  const share = total === null || total === 0 ? 0 : Math.min(1, done / total)
  return (
    <div className="grid gap-1">
      <div className="flex justify-between text-compact text-ink2">
        <span>{label}</span>
        <span>
          {done.toLocaleString('en')}
          {total !== null && ` of ${total.toLocaleString('en')}`}
        </span>
      </div>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-chip bg-sunken"
      >
        <div className="h-full bg-ink transition-[width]" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}
