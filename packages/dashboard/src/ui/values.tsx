/** Values as they stand in tables and facts: money, times, ids. */
import { Check, Copy as CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { moneyText } from '../format/money.ts'
import { dateTimeText, durationText, relativeText } from '../format/time.ts'
import { shortId } from '../format/words.ts'

export function Money({
  amount,
  currency,
  code = false,
}: {
  amount: number
  currency: string
  code?: boolean
}) {
  return (
    <span className="tabular-nums whitespace-nowrap">
      {moneyText(amount, currency)}
      {code && <span className="text-ink3"> {currency.toUpperCase()}</span>}
    </span>
  )
}

/** Relative within a day, the whole time on hover and for screen readers. */
export function Time({ at, exact = false }: { at: string | null; exact?: boolean }) {
  if (at === null) return <span className="text-ink3">–</span>
  return (
    <time
      dateTime={at}
      title={`${dateTimeText(at)} · ${dateTimeText(at, true)} UTC`}
      className="whitespace-nowrap"
    >
      {exact ? dateTimeText(at) : relativeText(at)}
    </time>
  )
}

export function Duration({ ms }: { ms: number }) {
  return <span className="whitespace-nowrap">{durationText(ms)}</span>
}

export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  return (
    <span className="font-mono text-compact break-all" title={id}>
      {whole ? id : shortId(id)}
    </span>
  )
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={isDone ? 'Copied' : label}
      className="inline-flex min-h-6 items-center gap-1 rounded-control border border-edge bg-surface px-2 text-compact font-bold hover:bg-sunken"
    >
      {isDone ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
      {isDone ? 'Copied' : label}
    </button>
  )
}
